"""Invented vocabulary for invented sessions: an orchard's software, as it might be. Nothing here comes from a log."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NOUNS = _words(
    """
    apple apron arbor bark barrel basket bed bee beetle berry bin blossom bough branch breeze bud bundle bushel cart
    cellar cherry cider clay clover compost cone core crate creek crop cutting dew ditch drip drone drought elder
    fence fern fig filter flask flower fork frost fruit furrow gate germ glasshouse glove graft grain grape grove
    harvest hatch hay hazel hedge herb hive hoe hose husk ivy jar juice kernel ladder lane larva leaf ledger lemon
    lichen lime loam log maple meadow medlar mill mint mist moss mulch nectar nest nettle nut oak oat orchard pallet
    path peach pear pectin peel pest petal pip pit plot plough plum pod pollen pond pot press prune pulp quince rack
    rain rake reed ridge rind ripeness root row sack sap scale scion seed seedling shade shears shed shelf shoot
    shovel silo sleet slope slug snow soil sorter spade spore spray sprig sprout stake stalk stem stock stone straw
    stump sun sward tank tarp thaw thorn tray tree trellis trowel trunk tuber twig valve vat vine wagon wasp water
    weed well wheel willow wind worm yard yeast yield
    """
)
VERBS = _words(
    """
    add align append apply batch bind build cache carry check chill clean close collect compare count cover cut
    deliver dig drain drop dry emit fetch fill filter find fix flush freeze gather grade graft group grow hold index
    join keep label lift list load lock map mark match measure merge mix move open order pack parse pick plan plant
    press prune pull push put rake read ripen rinse roll scan score seal send set shake sift sort spread stack start
    stop store sum sweep take test thin tie trace trim turn update wash water weigh wrap write
    """
)
QUALITIES = _words(
    """
    bare broad bruised clear cold crisp damp dark dense dry early empty even fine firm fresh full green heavy late
    light long loose mild narrow new old open pale plain quick rare raw ripe rough round sharp short slow small
    smooth soft sour stale steady sweet thick thin warm weak wet whole wide wild young
    """
)
FILLERS = _words(
    """
    the a this that each every its our one another which where when because so then now still also only just already
    before after while until with without into from over under between is was are were has have had will would can
    could should must may and or but not no as at by for in of on to it they we there here
    """
)
FOLDERS = ("src", "lib", "core", "tests", "tools", "docs", "pkg", "cmd", "internal", "web", "scripts", "config")
SUFFIXES = ("py", "ts", "go", "rs", "md", "toml", "json", "sh")
REPOS = _words(
    """
    orchard-api orchard-web cider-press bee-watch graft-cli harvest-planner frost-alarm soil-lab crate-router
    pollen-map nursery-db weather-feed mill-control yeast-farm ladder-bot sorter-vision vine-sync well-pump
    market-stall hedge-tools
    """
)
USERS = ("mira", "tomas", "ivo")
BRANCHES = ("main", "main", "main", "develop", "fix/frost-alarm", "feature/ripeness-index", "chore/prune-deps")
MODELS = ("claude-opus-4-8", "claude-sonnet-4-6")
CODEX_MODELS = ("gpt-5.5", "gpt-5.5-codex")
