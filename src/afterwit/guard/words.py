"""Word lists of redaction: what belongs to nobody, what is no secret, what only stands for one.

All in lower case. A word too many leaves something unredacted, a word too few makes a document harder to read: the
lists hold only what is common and says nothing about a person or a machine.
"""

# Accounts and home folders of no person.
_ACCOUNTS = """
root runner runneradmin ubuntu user users username shared public guest default vscode node coder codespace gitpod
git test tests tester testuser me you name admin administrator app dev developer debian centos fedora alpine
ec2-user azureuser vagrant jenkins circleci travis builder build worker agent sandbox browser container docker
linuxbrew nobody www-data nonroot jovyan deploy ci bot x someone other foo bar example demo your-name yourname
your-username youruser your_user alice bob all
"""
ACCOUNTS = frozenset(_ACCOUNTS.split())

# Local parts of addresses that reach a role or a program.
_ROLES = """
noreply no-reply donotreply do-not-reply git hg svn support security info hello help contact admin root postmaster
webmaster team user username you your-email your.email youremail name email mail me someone foo bar test example hi
sales press legal privacy abuse bot
"""
ROLES = frozenset(_ROLES.split())

# What follows the last dot of a file or a unit, though it may look like a domain.
_FILE_ENDINGS = """
md mdx ts tsx js jsx mjs cjs mts cts json jsonl toml yaml yml py pyi rb rs go sh lock patch diff tgz gz zip tar html
css scss vue svelte java kt swift php cs cpp hpp c h txt log sql xml png jpg svg tmp bak orig test spec next latest
service socket timer target mount slice
"""
FILE_ENDINGS = frozenset(_FILE_ENDINGS.split())

# Values that stand after `password:` in code and documents.
_PLAIN_VALUES = """
string str text bytes char varchar bool boolean true false null none nil undefined void any unknown never object
number int integer float optional option required missing invalid empty default hidden masked redacted removed
omitted encrypted password passwd passphrase pass pwd secret token key apikey auth user username admin root guest
test postgres mysql redis sa login changeme change_me change-me changeit letmein mypassword mysecret mytoken foo bar
baz xxx todo tbd n/a na yes no on off input output field label type name value env file path stdin prompt ask utf8
utf-8 base64 sha1 sha256 sha512 md5 hs256 rs256 bcrypt argon2 plain plaintext basic bearer oauth oauth2 jwt flag
argument parameter inherit write read self this that here there with from and not the
"""
PLAIN_VALUES = frozenset(_PLAIN_VALUES.split())

# Parts that show a reference, a template, a mask or an invented value.
_FILLER = """
your example changeme change_me change-me placeholder redacted dummy fake mock insert replace xxxx **** •••• ... …
todo < > ${ {{ $( <%
%( #{ ‹ process.env environ getenv env[ env. secrets. config. settings. vault: op:// arn: secretsmanager keychain
"""
FILLER = tuple(_FILLER.split())
