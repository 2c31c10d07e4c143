"""The application: which path is answered by whom, and what becomes of errors.

Handlers run in threads of their own, one request each, with a look at the settings of now. While another program holds
the store, a page waits a moment only, and says so. An error that we know is a
page that says what to do; any other is a fault of ours, reported like those of commands.
"""

from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from afterwit.model.errors import AfterwitError, BusyError, ConfigError, UsageError
from afterwit.store.database import MOST_WAIT_SECONDS
from afterwit.web.answering import HERE, Ask, WebAnswer, WebRoute, extra_pages, shown
from afterwit.web.pages import knowledge, more, proof, searching, sessions, settings, today, transcript, views
from afterwit.web.place import OpenPlace

PATIENCE_SECONDS = 3.0
ROUTES: tuple[WebRoute, ...] = (
    *today.ROUTES,
    *knowledge.ROUTES,
    *sessions.ROUTES,
    *views.ROUTES,
    *transcript.ROUTES,
    *searching.ROUTES,
    *proof.ROUTES,
    *more.ROUTES,
    *settings.ROUTES,
)


def make_app(open_place: OpenPlace, csrf: str) -> Starlette:
    """The whole site. `csrf` is the token that its forms hold."""
    kept: dict[str, Any] = {}

    def asked(request: Request) -> Ask:
        return Ask(
            place=open_place(),
            path=request.url.path,
            names={name: str(value) for name, value in request.path_params.items()},
            query={name: request.query_params.getlist(name) for name in request.query_params},
            form=request.scope.get("afterwit.form", {}),
            is_fragment="hx-request" in request.headers and "hx-boosted" not in request.headers,
            kept=kept,
            csrf=csrf,
        )

    def answering(handler: Callable[[Ask], WebAnswer]) -> Callable[[Request], Any]:
        def answer(request: Request) -> WebAnswer:
            MOST_WAIT_SECONDS.set(PATIENCE_SECONDS)  # each request has a context of its own
            return _answered(asked(request), handler)

        async def endpoint(request: Request) -> Response:
            try:
                given = await run_in_threadpool(answer, request)
            except (ConfigError, OSError) as error:  # before there is a world to draw a page from
                given = WebAnswer(f"{error}\n".encode(), 500, "text/plain; charset=utf-8")
            headers = {"cache-control": "no-store", **dict(given.headers)}
            return Response(given.body, given.status, headers, given.kind)

        return endpoint

    def missing(ask: Ask) -> WebAnswer:
        return _complaint(ask, 404, "There is no such page.")

    added = (route for page in extra_pages() for route in page.ROUTES)
    routes = [Route(route.path, answering(route.handler), methods=[route.method]) for route in (*ROUTES, *added)]
    static = Mount("/static", StaticFiles(directory=HERE / "static"))
    return Starlette(routes=[static, *routes, Route("/{rest:path}", answering(missing), methods=["GET", "POST"])])


def _answered(ask: Ask, handler: Callable[[Ask], WebAnswer]) -> WebAnswer:
    try:
        return handler(ask)
    except (UsageError, ConfigError) as error:
        return _complaint(ask, 400, str(error))
    except BusyError as error:
        return _complaint(ask, 503, str(error))._replace(headers=(("retry-after", "5"),))
    except AfterwitError as error:
        return _complaint(ask, 500, str(error))
    except Exception as error:  # noqa: BLE001 - the last resort: what gets here is a fault of ours
        from afterwit.engine.faults import describe_fault

        return _complaint(ask, 500, describe_fault(error, "afterwit web"))


def _complaint(ask: Ask, status: int, words: str) -> WebAnswer:
    return shown(ask, "complaint_part.html" if ask.is_fragment else "complaint.html", status, words=words)
