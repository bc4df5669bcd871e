"""Rules for principals: cases of Kafka's SslPrincipalMapperTest, and those at the edges."""

import pytest

from mockbroker.server.tls.ssl_principal_mapper import SslPrincipalMapper

RULES = (
    r"RULE:^CN=(.*?),OU=ServiceUsers.*$/$1/L,"
    r" RULE:^CN=(.*?),OU=(.*?),O=(.*?),L=(.*?),ST=(.*?),C=(.*?)$/$1@$2/L,"
    r" RULE:^cn=(.*?),ou=(.*?),dc=(.*?),dc=(.*?)$/$1@$2/U,"
    r" RULE:^.*[Cc][Nn]=([a-zA-Z0-9.]*).*$/$1/U,"
    r" DEFAULT"
)


@pytest.mark.parametrize(
    ("name", "principal"),
    [
        ("CN=Duke,OU=ServiceUsers,O=Org,C=US", "duke"),
        ("CN=Duke,OU=SME,O=mycp,L=Fulton,ST=MD,C=US", "duke@sme"),
        ("cn=duke,ou=sme,dc=mycp,dc=com", "DUKE@SME"),
        ("cN=duke,OU=JavaSoft,O=Sun Microsystems", "DUKE"),
        ("OU=JavaSoft,O=Sun Microsystems,C=US", "OU=JavaSoft,O=Sun Microsystems,C=US"),
    ],
)
def test_the_first_rule_that_matches_holds(name: str, principal: str) -> None:
    assert SslPrincipalMapper.parse(RULES).name(name) == principal


def test_without_the_default_a_name_may_have_no_principal() -> None:
    mapper = SslPrincipalMapper.parse(r"RULE:^CN=(.*?),OU=ServiceUsers.*$/$1/")
    assert mapper.name("CN=app") is None
    assert mapper.name("CN=App,OU=ServiceUsers") == "App"


@pytest.mark.parametrize(
    ("replacement", "principal"),
    [(r"$1\/$2", "a/$2"), (r"\$1", "$1"), ("x", "x"), ("$1$1", "aa")],
)
def test_a_replacement_may_have_references(replacement: str, principal: str) -> None:
    mapper = SslPrincipalMapper.parse(f"RULE:^CN=(.*)$/{replacement}/")
    assert mapper.name("CN=a") == principal


@pytest.mark.parametrize(
    "rules", ["default", "DEFAUL", "RULE:CN=(.*?)/$1", "RULE:/$1/A", "RULE:(/x/"]
)
def test_what_is_no_rule_is_refused(rules: str) -> None:
    with pytest.raises(ValueError, match="Invalid rule"):
        SslPrincipalMapper.parse(rules)


def test_empty_rules_are_ignored() -> None:
    assert SslPrincipalMapper.parse(" , DEFAULT ,").name("CN=a") == "CN=a"
    assert SslPrincipalMapper.parse("").name("CN=a") is None
