"""What the message of a failure gives away about its class. Tables of patterns, and nothing else.

Each pattern is a phrase that programs really print, as general as the phrase itself: `no such <noun>` and not one
tool's sentence. The order in which the tables are asked is `failure_class`'s.
"""

from afterwit.model.text import Phrases, regex

# The agent's own tool speaks, not a program that it ran.
CONTRACT = Phrases(
    r"\Afailed to parse function arguments",
    r"\Awrite_stdin failed",
    r"\ANo (?:task|shell|process|session)\b.{0,30} found",
    r"InputValidationError",
    r"\bunknown (?:process|session) id\b",
    r"\AShell (?:id )?\S+ not found",
)
_RATE = r"\brate.?limit|\brate exceeded\b|\bthrottl(?:ed|ing)|\btoo ?many ?requests\b"
# Told with a status that otherwise means a lack of rights.
RATE = Phrases(_RATE)
TRANSIENT = Phrases(
    _RATE,
    r"(?<![\d.:])429\b(?!:)",
    r"ETIMEDOUT|ECONNRESET|EAI_AGAIN|EAGAIN",
    r"\bconnection (?:was )?(?:reset|aborted)\b|\bconnection (?:closed|terminated)\b.{0,20}\bremote\b"
    r"|\bsocket hang up\b",
    r"\bremote end hung up\b|\bstream \d+ was not closed cleanly\b|\bbroken pipe\b",
    r"\b(?:HTTP|status|code|error)[ :/.\d]{0,6} ?50[0234]\b",
    r"\b50[234] (?:Bad Gateway|Service|Gateway)",
    r"\binternal server error\b|\bservice (?:is )?(?:temporarily )?unavailable\b",
    r"\btemporar(?:y failure|ily unavailable|ily)\b|\bmax retries exceeded\b|\bconnection broken by\b",
    r"\.lock['\"]?: File exists|\bindex\.lock\b.{0,80}(?:exists|unable|another)",
    r"\b(?:could not|unable to|failed to|error) (?:get|acquir\w+|obtain|take)\b.{0,60}\block\b"
    r"|\block\b.{0,80}\bheld by\b",
    r"\bwaiting (?:for|to)\b.{0,40}\block\b",
    r"\bAnother (?:git )?(?:process|instance|command|operation|run)\b|\b(?:used|held|in use) by another\b",
    r"\bdatabase is locked\b|\b(?:device or )?resource busy\b|\btext file busy\b",
    r"\boverloaded\b",
    r"\btry again later\b|\bstill in progress\b|\bobject has been modified\b",
    r"\berror connecting to \S+$",
    r"\bearly EOF\b|\bRPC failed\b|\bunexpected disconnect\b",
    r"\bFailed to connect to (?!localhost|127\.|\[?::1)\S+ port \d+ after\b",
)
# Where a check says this, it is mostly a test that was too slow.
WAITED = Phrases(r"\btimed?[ -]?out\b", r"\btimeout\b", r"\bdeadline exceeded\b", r"\A\s*Terminated\b")
OVER_THE_NETWORK = Phrases(
    r"\bconnect|\bnetwork\b|\bhandshake\b|\bdownload|\btransfer\b|\bregistry\b|\bproxy\b|\bhttps?:"
)
# Commands of a tool that are installed apart from it.
_EXTENSIONS = (
    "compose|buildx|lfs|annex|flow|nextest|audit|deny|watch|expand|llvm-cov|outdated|machete|edit|fuzz|insta|tarpaulin|udeps"
    "|hack|release|binstall|ef|coverage|script|reportgenerator"
)
ENVIRONMENT = Phrases(
    r"\bcommand not found\b(?!\.| (?:in|on) )",
    r"^(?:\S+: )?(?:line )?(?:\d+: )?\S+: not found$",
    r"\bis not recognized as\b",
    r"\b(?:not|n't) (?:be )?installed\b|\bis required but\b|\bplease install\b",
    r"\bNo module named\b|\bModuleNotFoundError\b",
    r"\bCannot find (?:module|package) ['\"`]?(?![./'\"`]|providing)|\bERR_MODULE_NOT_FOUND\b|\bMODULE_NOT_FOUND\b",
    r"\bno package called\b|\bPackage \S+ not found in current path\b|\bDependency \S+ not found\b",
    r"\bexecutable (?:file )?(?:not found|doesn't exist)|\bno such command\b.{0,40}install"
    r"|\bbundler: command not found\b",
    r"\bfind a package to install\b|\bFailed to spawn\b|\bno version is set\b|\b(?:linker|compiler) \S+ not found\b",
    rf"(?<![\w-])['\"`]?(?:dotnet-)?(?:{_EXTENSIONS})['\"`]?(?: is not a \w+ command| does not exist)",
    rf"\bno such command: .(?:{_EXTENSIONS})\b|^g?make(?:\[\d+\])?: \S+: No such file or directory",
    r"\bcannot find -l|\bCould not find a package configuration file\b",
    r"\bEACCES\b|\bEPERM\b|\bpermission denied\b|\boperation not permitted\b|\baccess ?denied\b",
    r"\baccess to the path\b.{0,200}\bdenied\b|\bwrite permissions\b|\bscripts is disabled\b",
    r"\bread-only file system\b",
    r"\bsandbox\b.{0,60}(?:denied|deny|restrict|not allow)",
    r"\bauthenticat|\bunauthorized|\bnot authorized\b|\bHTTP 40[13]\b|\breturned error: 40[13]\b"
    r"|\bBad credentials\b|\bnot logged in\b",
    r"\blogged ?in to\b|\b(?:be|been) logged ?in\b|\blog ?in (?:first|required)\b"
    r"|\brun:? .{0,3}\S+ (?:auth )?login\b|\bENEEDAUTH\b",
    r"\b(?:locate|valid|no|missing|expired) credential|\b(?:Expired|Invalid)Token\b|\btoken\b.{0,50}\bexpired\b",
    r"\bis forbidden\b|\(Forbidden\)|\bno active account\b|\bactive account selected\b",
    r"\bRepository not found\b|\brepository '\S+' not found\b|\bcould not read (?:Username|Password|from remote)\b",
    r"\bHost key verification\b|\bpublickey\b|\bpassword is required\b|\bterminal is required\b|\bno tty present\b",
    r"\bECONNREFUSED\b|\bconnection ?refused\b|\bcannot connect to\b|\bcould(?: not|n't) connect\b|\bcan't reach\b",
    r"\bconnection to (?:the )?server\b.{0,80}\b(?:failed|refused)\b|\bConnectionNotEstablished\b",
    r"\baddress already in use\b|\bEADDRINUSE\b|\bport is already\b|\bport \d+ is (?:already )?(?:in use|taken)\b",
    r"\bno such host\b|\b(?:could not|couldn't|cannot) resolve (?:host|proxy|address|name)"
    r"|\bremote name could not be resolved\b",
    r"\bENOTFOUND\b|\bname or service not known\b|\bdial tcp\b|\bno route to host\b",
    r"\bnetwork is unreachable\b|\bcertificate (?:problem|verify failed|has expired)|\bself.signed certificate\b",
    r"\bNo space left\b|\bENOSPC\b|\bOut of memory\b|\bKilled$|\bheap out of memory\b",
    r"\bJava heap space\b|\bOutOfMemoryError\b|\btoo many open files\b|\bEMFILE\b",
    r"\b(?:exit(?:ed)?(?: with)?(?: (?:code|status))?|returned)[:= ]{1,3}137\b|\] Error 137\b",
    r"\bcan(?:'|no)t connect to\b.{0,40}\bserver\b|\bdns error\b|\bNoDatabaseError\b",
    r"\bSSL_ERROR_SYSCALL\b|\bTLS handshake\b(?! timeout)",
    r"\b(?:no|missing) access token\b|\bplease (?:log|sign) ?in\b|\bInterpreterNotFound\b",
    r"\bpromisor remote\b",
    r"\bCouldn't (?:sign|load)\b|\bgpg failed to sign\b|\bagent refused operation\b|\btell me who you are\b"
    r"|\bidentity unknown\b",
    r"\bdubious ownership\b|\b(?:is|are) not trusted\b",
    r"\bwas deleted; shell cwd recovered\b|\bproblem with the editor\b",
    r"\bno (?:agent|server|session|daemon|service) (?:is )?running\b|\bis not running\b|\bdaemon running\?",
    r"\bno (?:supported )?devices?\b.{0,20}\b(?:connected|found|attached)\b|\bnot been booted\b"
    r"|\bno repositories found\b",
    r"\bunsupported (?:engine|environment)\b|\brequires (?:node|python|go|rustc?|ruby|php|java|bun"
    r"|xcode)\b.{0,20}(?:[\d.]|,)",
    r"\bdoes not support targeting\b|\bYour \w+ version is\b|\bnot supported by the following\b"
    r"|\bmay not be installed\b",
    r"\b(?:JAVA|ANDROID|ANDROID_SDK|GO)_(?:HOME|ROOT)\b.{0,40}\b(?:not|invalid)\b|\bSDK location not found\b"
    r"|\bThe SDK\b.{0,60}\bnot be found\b",
    r"\bNo interpreter found\b|\bNo virtual environment\b|\bexternally.managed\b|\bbad interpreter\b",
    r"\bInconsistent dependency lock\b|\bthe dependency is not available\b",
    r"\b(?:insufficient|missing|lack\w*|required) \S{0,60} ?permissions?\b|\bPERMISSION_DENIED\b"
    r"|\bto the resource is denied\b",
    r"\btoken (?:is|was) (?:not valid|invalid|revoked)|\bunreachable\b|NOT_RUNNING\b|\bserver is already running\b",
    r"\bmissing from your system\b|\bnot (?:a developer tool or )?in (?:your )?\$?PATH\b|\bprogram not found\b",
    r"\bonly supported on (?:macOS|Windows|Linux)\b|\bis disabled\b|\bis archived\b|\bread-only\b(?! variable)",
    r"\bby setting (?-i:[A-Z_]{3,})=|\b(?:or|first) install\b|(?-i:\b[A-Z][A-Z_]{3,}) (?:is )?not set\b"
    r"|\bensurepip is not available\b",
    r"\bUnsupportedClassVersionError\b|\bmore recent version of the\b|\berrors on dependencies\b|\.sty' not found\b",
    r"\bcannot open shared object\b|\blibrary not loaded\b|\bexec format error\b",
    r"\bdisplay\b.{0,20}\bcannot open\b|\bmissing X server\b",
)
# How a name begins that a project gives to its own files: a path, an alias of a bundler, a usual folder.
_OF_THE_PROJECT = (
    r"[./~#$]|@/|virtual:|(?:src|app|apps|lib|include|components|pages|server|tests?|internal)/"
    r"|[^/'\"\n]+\.(?:[cm]?[jt]sx?|vue|svelte|s?css|less|json|svg|png)['\"]"
)
# Even inside a report about the code, these are about the machine.
BLOCKED = Phrases(
    r"\b(?:socket|bind|listen\b.{0,60}): (?:operation not permitted|permission denied)",
    r"\blookup \S+: no such host\b|\bdial tcp: lookup\b|\btemporary failure in name resolution\b",
    r"\bcannot connect to the docker daemon\b|\bNo space left on device\b",
    r"^E\s+ModuleNotFoundError: No module named ['\"][^.'\"\n]+['\"]$",
    r"\bmay not be installed\b|\bexecutable doesn't exist at\b|\bDependency \S+ not found\b|\bmust be logged in\b",
    rf"\b(?:can't|could not|failed to) resolve(?: import)? ['\"](?!{_OF_THE_PROJECT})",
    rf"\bfatal error: '?(?!{_OF_THE_PROJECT})[\w.+-]+/[\w./+-]+(?:'? file not found|: No such file or directory)\b"
    r"(?![^\n]*\n[^\n]*#\s*include \")",
    r"\bfatal error: [^\n]{1,120}(?:file not found|No such file or directory)\n[^\n]*#\s*include <",
)
# What a command line names and a tool does not know.
_NOUN = (
    r"(?:sub)?commands?|scripts?|tasks?|recipes?|rules?|goals?|phases?|options?|flags?|switch(?:es)?|schemes?|projects?"
    r"|packages?|crates?|features?|profiles?|workspaces?|services?|contexts?|resource types?|formula|cask|units?"
    r"|devices?"
    r"|destinations?|environments?|targets?|test targets?|generators?|plugins?|stashe?s?|remotes?|branch(?:es)?|tags?"
    r"|buckets?|databases?|containers?|images?|manifests?|files?|director(?:y|ies)|paths?|folders?|jarfile|tests?"
    r"|templates?|actions?|arguments?|parameters?|json fields?|fields?|values?|choices?|revisions?|predicates?"
    r"|primar(?:y|ies)"
    r"|substitutions?|expressions?|shorthand|operands?|file types?|lifecycle phases?|distributions?|versions?|gems?"
    r"|main class|configuration|operators?|properties|members?|table|column|window|agent|session"
)
_NAME = r"(?:['\"`‘“][^'\"`’”\n]{1,120}['\"`’”]|[\w@./:+-]{1,120})"
USAGE = Phrases(
    r"\b(?:unknown|unrecognized|unrecognised|invalid|illegal|unexpected|unsupported|no such|bad|ambiguous)"
    r" (?:long |short |shorthand |boolean |compiler |command.line )?(?:option|flag|switch|command|subcommand"
    r"|argument|shorthand"
    r"|parameter|json field|file type|lifecycle phase|target|environment|device|task"
    r"|field|value|choice|revision|action|predicate|primary|substitution|format|character in|expression|preceding)s?\b",
    r"^[^\S\n]*usage:",
    r"\bunexpected argument\b|\bpositional arguments?\b",
    r"\baccepts (?:at most |between )?\d+ arg|\brequires (?:at least |exactly )?\d* ?arg",
    r"\b(?:missing|required)\b.{0,30}\b(?:argument|operand|option|flag|parameter|value)s?\b",
    r"\btoo (?:many|few) arguments\b|\bextra operand\b|\bextra characters at the end\b",
    r"\bflag (?:provided but not defined|needs an argument)\b|\bexpects? an? argument\b|\brequires an argument\b",
    r"\boption \S+ (?:is )?(?:unknown|ambiguous)|\bparameter cannot be found\b|\bspecify a (?:project|valid)\b",
    r"\bis not a (?:git |valid |known |docker |bun )?(?:command|option|flag|subcommand|script|statement)\b",
    r"\bno matches found\b|\bbad pattern\b|\bevent not found\b|\bparse error\b|\bbad substitution\b",
    r"\bsyntax error near\b|\bsyntax error: unexpected\b|\bunexpected (?:EOF|end of file) while\b|\bunterminated\b",
    r"\bsyntax error at source line\b|\berror in your SQL syntax\b|\boperator expected\b|\bread-only variable\b"
    r"|\bmissing closing\b",
    r"\bmissing script\b|\bscript not found\b|\bno task named\b|\bno such task\b|\btask \S+ not found\b"
    r"|\bno task \S+ found\b",
    r"\bno rule to make\b|\bdon't know how to build\b|\bno targets specified\b|\bhas no command named\b",
    r"\b(?:command|file) (?:or file )?was not found\b",
    r"\bcould not determine executable\b|\bmutually exclusive\b|\bcannot be (?:used|combined) with\b",
    r"^jq: (?:error|\d)|\bregex parse error\b|\bis not allowed in a regex\b|\binvalid regular expression\b",
    r"\bunmatched (?:[\[(\"'`])|\binvalid range\b|\bunclosed\b|\bMalformed input to a URL\b",
    r"\bare ignored by one of your\b|\bNo content to send\b|\bstdin is not a (?:tty|terminal)\b",
    r"\bHTTP (?:404|422|400|405)\b|\bNot Found \(HTTP\b|\bCould not resolve to an?\b|\breturned error: 4(?:00|04|05"
    r"|22)\b",
    r"\bERROR 4(?:00|04|05)\b|\brun again with the -",
    r"\bno (?:matching )?(?:pull requests|releases|runs|issues|projects|workspaces|go files|test files|test cases"
    r"|tests?|files|packages)"
    r" (?:were )?(?:found|match\w*|run|in|to (?:run|test))\b",
    r"\b(?:could(?: not|n't)|can(?:not|'t)|unable to) (?:find|locate|access) (?:an? |the "
    rf"|any )?(?:\w+ ){{0,3}}(?:{_NOUN})\b",
    rf"\b(?:{_NOUN}) {_NAME} (?:was |is |could |has )*(?:not (?:be )?(?:found|defined|declared)|does not exist"
    r"|unknown)\b",
    r"\b(?:does not|doesn't) (?:contain|have) (?:an? |this |the )?(?:feature|recipe|scheme|script|task|target"
    r"|resource type)\b",
    r"\bdoes not support target\b|\bcould(?: not|n't) find ['\"`]|\bno (?:\w+ ){1,2}named\b|\bdid not match any\b",
    r"\bno such (?:package|target|service|recipe|scheme|feature)\b",
)
NO_COMMAND = Phrases(
    r"\bcommand ['\"`]?[\w.-]+['\"`]? (?:is )?not found\b",
    r"\bdatabase ['\"`][^'\"`\n]{1,120}['\"`] does not exist\b|\bunknown database ['\"`]",
)
# Run in the wrong folder: what the tool works on is not here.
NO_PROJECT = Phrases(
    r"\b(?:no|not find|n't find|cannot find|contain|unable to find|can't find)\b.{0,60}?(?<![\w/])"
    r"(?:package\.json|pyproject\.toml|Cargo\.toml|go\.mod|main module|Package\.swift|pubspec\.yaml|POM|pom\.xml"
    r"|makefile"
    r"|Mix\.Project|CMakeLists\.txt|Gemfile|composer\.json|project or solution|build\.gradle|configuration files?"
    r"|Justfile|Taskfile)\b",
    r"\bexisting package-lock\b|\boutside a workspace\b|\bfrom within a\b|\bNo .?\w+file.? found\b|\bbuild\.ninja\b"
    r"|\bDockerfile\b.{0,80}\bno such file\b|\bnot a git repository\b|\bnone of the git remotes\b"
    r"|\bdirectory of your\b",
)
# A package that nobody has: the command's fault if the command names it, the manifest's otherwise.
NO_PACKAGE = Phrases(
    r"(?:\bE|\berror:? |- |ERR! )404\b|\b404 (?:Not Found|No match)\b|\bnot in this registry\b",
    r"\bno matching (?:distribution|version|package)|\bmatching version of package\b|\bfind a version that satisfies\b",
    r"\bfind any versions\b|\bno available (?:formula|cask)\b|\bunable to (?:locate|find) package\b"
    r"|\bno package found\b",
    r"\bfind (?:a valid )?gem\b|\bnot (?:be )?found in (?:the )?(?:package )?(?:registry|index)|\bno solution found\b",
    r"\bmanifest (?:unknown|for \S+ not found)\b",
    r"\brepository does not exist or may require\b",
)
ASKED_FOR = Phrases(r"\busage:")
SUGGESTS = Phrases(
    r"\bdid you mean\b|\bsimilar (?:name|subcommand|argument|command)\b|\bperhaps you meant\b|\bmisspelled\b"
)
PLACE = Phrases(
    r"\bno such file or directory\b|\bENOENT\b|\bdoes not exist\b|\bdoesn't exist\b|\bcannot find the (?:path|file)\b",
    r"\bnot a directory\b|\bis a directory\b|\bENOTDIR\b|\bEISDIR\b|\bfile exists\b|\b(?:file|directory) not found\b",
    r"\bcannot find (?:path|or open)\b|\bcannot open\b|\bcould not (?:open|find or load)\b|\bcannot load such file\b",
    r"\bnot a git repository\b|\boutside (?:of )?(?:repository|the repo)\b",
    r"\bambiguous argument\b|\bunknown revision\b|\bbad (?:revision|object)\b|\binvalid reference\b"
    r"|\bnot a valid object\b",
    r"\bsingle revision\b|\bnot something we can\b|\bcorrupt patch\b|\blocate revision\b",
    r"\bpathspec\b|\bdid not match any\b|\bno such (?:ref|branch|remote|path|tag)\b|\bcouldn't find remote ref\b",
    r"\balready exists\b|\balready in use by\b|\bname that is still in use\b|\bis already (?:checked out|used by"
    r"|claimed)\b",
    r"\bno such (?:container|image|service|package|file|target|table|column|process|device|bucket)\b",
    rf"\b(?:no|not) \w+ (?:exists with|matching|named)\b|{_NAME} (?:was |is |could |be )*not (?:found|defined)\b",
    r"\bresource type\b|\bnot found: not found\b|\bprovided: not found\b|\binvalid device\b",
)
# Words that blame what the tool was given, where nothing more telling is said.
BLAMES = Phrases(
    r"\b(?:invalid|unknown|unrecogni[sz]ed|illegal|malformed|no such|bad|missing|incorrect|unexpected)\b",
    r"\bmust (?:be|specify|provide|have)\b|\bplease (?:specify|provide|use)\b|\bnot (?:a )?valid\b|\bnot allowed\b",
    r"\b(?:could not|couldn't|cannot|can't|unable to) (?:be )?(?:find|found|locate|import|remove|open|read|match"
    r"|parse)\b",
    r"\b(?:does not|doesn't|did not) (?:match|provide|exist|support)\b|\bmatched no\b|\bno \w+ (?:available"
    r"|matching|named|found)\b",
    r"\bdoes not appear\b|\bis not (?:a|an|the) \w+|\bdetection failed\b|\bnot found\b",
)
# A repository or its manifest that has to be worked out.
STATE = Phrases(
    r"^CONFLICT\b|\bmerge conflict\b|\bconflicts?\b.{0,40}\bresolve\b|\bcould not apply\b|\bpatch does not apply\b",
    r"\bnothing to commit\b|\bnothing added to commit\b|\bno changes added\b|\bno stash entries\b"
    r"|\bno commits between\b",
    r"\[(?:remote )?rejected\]|\bnon-fast-forward\b|\bfast-forward, aborting\b|\bfetch first\b"
    r"|\bfailed to push some refs\b",
    r"\bwould be overwritten\b|\bunstaged changes\b|\buncommitted changes\b|\bunmerged\b|\bnot fully merged\b",
    r"\bmust first push\b|\blocal modifications\b|\bno upstream\b|\bhas no upstream branch\b|\bdiverge",
    r"\bprotected branch\b|\bnot mergeable\b|\bchecks? (?:have )?fail",
    r"\ba pull request\b.{0,80}\balready exists\b",
    r"\block ?file\b.{0,80}\b(?:needs? to be updated|out of date|not up to date|modified|outdated|in sync)\b",
    r"\bnot up to date with package\.json\b|\bpackage-lock\.json\b.{0,60}\bin sync\b"
    r"|\bsince \S+\.lock was last generated\b",
    r"\bnot (?:yet )?committed\b|\bdirectory not clean\b|\bno \w+ in progress\b|\b(?:dependencies"
    r"|requirements) could not be\b",
    r"\block file does not contain\b|\bOUTDATED_LOCKFILE\b|\bERESOLVE\b|\bResolutionImpossible\b"
    r"|\bconflicting dependencies\b|\bversion solving failed\b",
    r"\bfind compatible versions\b|\binstallable set of packages\b",
)
# Reports of a test runner, a compiler or a linter about the code.
TESTS = Phrases(
    r"^[^\S\n]*--- FAIL\b|^FAIL\t(?!.*\[(?:build|setup) failed\])|^FAIL: |^[^\S\n]*\(fail\)",
    r"^[^\S\n]*[✗✘✕].{1,200}[(\[]\d+(?:\.\d+)? ?m?s[)\]]$",
    r"\bexpect\(|\bAssertion(?:Failed)?Error\b|^E\s{3,}\S|\bassertion .{0,20}failed\b|\bpanicked at\b",
    r"^FAILED \S+::|\b[1-9]\d* (?:tests?|specs?|suites?|examples?|assertions?) fail|\bTests?:.{0,60}\bfailed\b",
    r"\b[1-9]\d* (?:tests?|specs?|examples?|assertions?), {1,4}(?:\d+ \w+, {1,4}){0,3}[1-9]\d* fail"
    r"|\b\d+ pass(?:ed|ing)?\b.{0,40}\b[1-9]\d* fail|\b[1-9]\d* fail(?:ed|ing)?\b.{0,40}\b\d+ pass",
    r"\bshort test summary\b|\btest failures\b|\bFailure/Error: (?!LoadError)|\bXCTAssert\w+ failed\b",
    r"\bReceived:|\bExpected (?:to|substring|value|length)|_test\.go:\d+:|^Expected: .*\n\s*Actual: ",
    r"^FAIL(?:URES!)?\b|^panic: |\bTest\w* failed\b|\bFAILED in \d|\btests failed\b|\bfailures=\d",
    r"^not ok \d+|\bFailures: {1,8}[1-9]|\bFailed: {1,8}[1-9]\d*, Passed",
)
# Marks of a test report that other programs use too: they count where the command is a check.
TALLIES = Phrases(r"^[^\S\n]*[✗✘✕]|\b[1-9]\d* fail(?:ed|ing|ures?)?\b(?!:)")
BUILD = Phrases(
    r"\[build failed\]|\[setup failed\]|^# \S+$",
    r"^\S+?\.\w{1,5}:\d+:\d+: (?:undefined|cannot use|declared and not used|missing return|syntax error|too many"
    r"|not enough)",
    r"\berror TS(?![56]\d{3}\b)\d+|\berror\[E\d+\]|\bcannot find symbol\b|\bundefined reference\b"
    r"|\bcould not compile\b",
    r"\bBuild failed\b|\bCompilation (?:failed|error)\b|\bfailed to compile\b|\bTypeError: Cannot read\b"
    r"|\bCompileError\b",
    r"^g?make(?:\[\d+\])?: \*\*\* \[.*\] Error (?!127)\d|\bCannot find module ['\"]\.",
    r"\bdid not complete successfully\b|\berror validating\b|\bschema validation\b|\bmust be an? (?:list|string"
    r"|mapping)\b",
    r"^[^\S\n]*--> \S+:\d+:\d+|\bcannot find module providing\b|^! (?:Undefined|Missing|Emergency)\b|\bviolations?\b",
    r"^\S+\.(?:ba|z|k)?sh: line \d+: |^\w{2,12}: ?\S+\.\w{2,5}:\d+: |^[^\S\n]*on \S+ line \d+|\byaml: line \d+"
    r"|\bmissing separator\b|\bunbound variable\b|\bin \S+ on line \d+|\bat \(\S+:\d+\)",
)
LINT = Phrases(
    r"^[^\S\n]*×|\bFound [1-9]\d* (?:error|issue|warning|diagnostic)|\b[1-9]\d* (?:problems?|issues?|offenses?)\b",
    r"\bwould (?:have printed|reformat|be reformatted)\b|\bnot formatted\b|\bformatter\b|\bfiles? (?:need|would)\b",
    r"\blint/[a-z]+/|\btrailing whitespace\b|\bpre-commit\b.{0,40}fail|\bhook\b.{0,40}(?:fail|exited)|\bhusky\b",
)
# The line points at a place in a source file: it speaks of the code.
CODE_PLACE = regex(
    r"^[^\S\n]*(?:[eEwW]: )?(?:\[\w+\] )?(?:file://)?[^\s:()]{1,200}\.\w{1,6}(?::\[?\d+|\(\d+(?:,\d+)?\))"
)
