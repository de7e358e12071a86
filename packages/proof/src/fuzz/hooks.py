"""Gives Schemathesis what it cannot know of this API: objects that exist, bodies with a meaning, hostile texts with marks, and
promises beyond openapi.json. `FUZZ_FACTS` names a file with the facts, which walk.ts gathers."""

import atexit
import copy
import json
import os
import random
import re
from collections import Counter, defaultdict
from pathlib import Path

import requests
import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import CoveragePhaseData

FACTS = json.loads(Path(os.environ["FUZZ_FACTS"]).read_text())
NAMES, SPARE, FOREIGN, ABSENT = (FACTS[name] for name in ("names", "spare", "foreign", "absent"))
MARK, IDENTITY = FACTS["mark"], FACTS["identity"]
chance = random.Random(FACTS["seed"])
session = requests.Session()
serial = 0
# Operations with a positive case that was kept, and one that was sent: as the walk would call them.
kept, sent = set(), set()

# Errors for requests that the document allows, by code: the operations, and the rule that a schema cannot state.
BEYOND_THE_SCHEMA = {
    "invalid_cursor": (None, "a cursor is a text that a page returned"),
    "idempotency_key_reused": (None, "a key that was used with another body"),
    "invalid_header": (None, "an Idempotency-Key of printable ASCII: the document states its length"),
    "invalid_kyc_data": (["submitKyc"], "KYC rules depend on the country and on the kind of end-user"),
    "invalid_multipart": (["submitKyc"], "a file's part is named after its place in the data"),
    "terms_reliance_not_enabled": (["submitKyc", "getKycLinks"], "TERMS_RELIANCE is a setting of the deployment"),
    "invalid_redirect_uri": (["createOnboardingLink", "createTosLink", "getKycLinks"], "an https URL, not any URI"),
    "invalid_webhook_url": (
        ["createWebhookEndpoint", "updateWebhookEndpoint", "setWebhookUrl", "setCustomerWebhookUrl"],
        "a public https URL, not any URI",
    ),
    "invalid_alert_channel": (
        ["createAlertChannel", "updateAlertChannel", "createOperatorAlertChannel", "updateOperatorAlertChannel"],
        "email addresses or a public https URL, as the type requires",
    ),
    "email_not_configured": (["createAlertChannel", "createOperatorAlertChannel"], "a setting of the deployment"),
    "alert_channel_limit_reached": (["createAlertChannel", "createOperatorAlertChannel"], "the number of channels so far"),
    "invalid_issuer": (["setSignIn", "setCustomerSignIn"], "a public https URL, not any URI"),
    "sign_in_issuer_unreachable": (["setSignIn", "setCustomerSignIn"], "an issuer that responds"),
    "sign_in_issuer_mismatch": (["setSignIn", "setCustomerSignIn"], "an issuer that names itself"),
    "sign_in_issuer_unusable": (["setSignIn", "setCustomerSignIn"], "an issuer with OpenID Connect metadata"),
    "invalid_branding": (["setBranding"], "the contrast of two colors, and the content of a picture"),
    "invalid_developer_fee_percent": (["createVirtualAccount", "updateVirtualAccount"], "below 100"),
    "unsupported_currency": (["createVirtualAccount"], "the currencies of the provider change"),
    "invalid_value": (
        ["createVirtualAccount", "updateVirtualAccount", "issueApiKey", "issueCustomerApiKey", "retryDeliveries"]
        + ["startReplay"],
        "two members that exclude each other, and times that are past or in the wrong order",
    ),
    "invalid_query": (
        ["listEvents", "getStats", "getCustomerStats", "getKycRequirements"],
        "two parameters that exclude each other, times in the wrong order, and countries that do not exist",
    ),
    "webhook_endpoint_without_inbox": (["configureSandboxInbox"], "the URL of the endpoint"),
    "webhook_endpoint_limit_reached": (["createWebhookEndpoint"], "the number of endpoints so far"),
    "missing_field": (["updateVirtualAccount"], "one of three kinds of address of a destination"),
    "signed_agreement_invalid": (["submitKyc"], "an agreement that the provider knows"),
    "tos_not_accepted": (["submitKyc"], "the terms of the end-user"),
    "kyc_not_approved": (["createVirtualAccount"], "the status of the end-user"),
    "onboarding_not_needed": (["createOnboardingLink"], "the status of the end-user"),
    "kyc_not_resubmittable": (["decideKyc", "simulateInformationRequest"], "the status of the end-user"),
    "provider_rejected": (["decideKyc", "simulateDeposit", "advanceDeposit", "updateVirtualAccount"], "the status of the object"),
}


# Headers that decide nothing here.
FREE_HEADERS = (
    ["User-Agent", "Referer", "Cookie", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded"]
    + ["Accept-Language", "Origin", "Traceparent", "X-Original-Url", "X-Http-Method-Override", "Range", "If-None-Match"]
)


class Tally:
    """Counts what the verdict of the run needs, and writes it at the end."""

    def __init__(self):
        self.statuses = defaultdict(Counter)
        self.found, self.excepted, self.checked = Counter(), Counter(), Counter()
        atexit.register(lambda: Path(FACTS["tally"]).write_text(json.dumps(vars(self))))


tally = Tally()


def one_in(times):
    return chance.randrange(times) == 0


def fresh():
    global serial
    serial += 1
    return f"{serial:06x}"


def id_of(operation):
    return operation.definition.raw["operationId"]


def texts(value, change):
    """Changes every text of a value. Names of members stay, because errors name them."""
    if isinstance(value, str):
        return change(value) if one_in(2) else value
    if isinstance(value, list):
        return [texts(item, change) for item in value]
    if isinstance(value, dict):
        return {name: texts(item, change) for name, item in value.items()}
    return value


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Allows a response the members that the document names, and no others, and asks for every header."""
    components = raw_schema["components"]
    for name, header in components["headers"].items():
        header["required"] = name != "Link"  # only where there is a further page
    exact = {f"Exact{name}": only_named(schema) for name, schema in components["schemas"].items()}
    components["responses"] = {name: only_named(response) for name, response in components["responses"].items()}
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            operation["responses"] = only_named(operation["responses"])
    components["schemas"].update(exact)


def only_named(node):
    if isinstance(node, list):
        return [only_named(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {name: only_named(item) for name, item in node.items() if name != "example"}
    if isinstance(made.get("$ref"), str):
        made["$ref"] = made["$ref"].replace("#/components/schemas/", "#/components/schemas/Exact")
    if made.get("type") == "object" and "properties" in made:
        made.setdefault("additionalProperties", False)
    return made


@schemathesis.hook
def filter_case(context, case):
    """Draws a part of the cases of the phase `coverage`. Keeps a plain case of each operation."""
    if case.meta is None or not isinstance(case.meta.phase.data, CoveragePhaseData) or chance.random() < FACTS["share"]:
        return True
    is_first = is_positive(case) and id_of(case.operation) not in kept
    kept.add(id_of(case.operation))
    return is_first


@schemathesis.hook
def before_call(context, case, kwargs):
    operation, path = id_of(case.operation), case.operation.path
    if is_positive(case) and operation not in sent:
        sent.add(operation)
        case.path_parameters = dict((SPARE if case.method == "DELETE" else NAMES)[path])
        case.query = dict(FACTS["queries"][operation])
        if operation in FACTS["bodies"]:
            case.body, case.media_type = body_of(operation), "application/json"
        return
    name_objects(case)
    if isinstance(case.body, dict) and operation in FACTS["bodies"]:
        if operation in FACTS["always"]:
            case.body = {name: value for name, value in case.body.items() if name != "code"} | body_of(operation)
        elif is_positive(case) and not one_in(3):
            case.body = case.body | body_of(operation)
    if is_positive(case) and isinstance(case.query, dict) and not one_in(4):
        case.query.pop("cursor", None)
    if isinstance(case.query, dict) and str(case.query.get("wait", "")).isdigit():
        case.query["wait"] = 0  # a request for events may wait 30 s
    if (case.headers or {}).get("Idempotency-Key") == "0":
        case.headers["Idempotency-Key"] = f"k-{fresh()}"
    if one_in(8):
        hostile = chance.choice(FACTS["texts"]).replace("@", MARK + fresh())
        case.headers = {**(case.headers or {}), chance.choice(FREE_HEADERS): re.sub(r"[^!-~]", "?", hostile)}
    if operation not in FACTS["always"]:
        put_marks(case, IDENTITY if operation == "submitKyc" else MARK)


def is_positive(case):
    return case.meta is None or case.meta.generation.mode.is_positive


def body_of(operation):
    return json.loads(json.dumps(FACTS["bodies"][operation]).replace("{fresh}", fresh()))


def name_objects(case):
    """Puts existing objects into most paths, but not into paths to delete."""
    path, place = case.operation.path, case.meta and case.meta.components.get(ParameterLocation.PATH)
    for name, value in (case.path_parameters or {}).items():
        if value in FACTS["reserved"]:
            case.path_parameters[name] = ABSENT[path][name]
        elif place and place.mode.is_positive and case.method != "DELETE" and not one_in(8):
            case.path_parameters[name] = NAMES[path][name]


def put_marks(case, mark):
    if is_positive(case) and one_in(4):
        change = lambda text: chance.choice(FACTS["texts"]).replace("@", mark + fresh())
    elif not is_positive(case) and one_in(2):
        change = lambda text: f"{text}{mark}{fresh()}"
    else:
        return
    if isinstance(case.body, (dict, list)):
        case.body = texts(case.body, change)
    if case.query:
        case.query = texts(case.query, lambda text: change(text).encode("utf-8", "replace").decode())


@schemathesis.hook
def after_call(context, case, response):
    tally.statuses[id_of(case.operation)][response.status_code] += 1


@schemathesis.hook
def filter_failure(context, failure, case, response):
    name, code, operation = type(failure).__name__, code_of(response), id_of(case.operation)
    if response.status_code == 431 and code == "invalid_header":
        return False  # too large headers never become a request of an operation
    if name == "AllowHeaderMismatch" and operation == "retryDeliveries":
        return False  # `retry` is a valid ID for the path of GET /v0/deliveries/{id}
    if name == "RejectedPositiveData" and code == "invalid_query" and ":60Z" in str(case.query):
        return False  # the format of a time allows a leap second, and no time of PostgreSQL is one
    if name == "RejectedPositiveData" and code in BEYOND_THE_SCHEMA:
        operations, _reason = BEYOND_THE_SCHEMA[code]
        if operations is None or operation in operations:
            tally.excepted[f"{operation} {code}"] += 1
            return False
    said = failure.message.splitlines()[0][:300] if name == "CustomFailure" else code or ""
    tally.found[f"{failure.title} ({operation}, {response.status_code} {said})"] += 1
    return True


def code_of(response):
    try:
        return json.loads(response.content)["error"]["code"]
    except (ValueError, KeyError, TypeError):
        return None


def is_asked_for(case, response):
    """Whether the operation was called, and not its path with another method."""
    return response.request.method == case.operation.method.upper() and response.status_code != 431


@schemathesis.check
def repeats_no_sent_value(ctx, response, case):
    said = json.dumps(dict(response.headers)).lower() + response.content.decode("utf-8", "replace").lower()
    # The provider puts the mail address into its links.
    assert IDENTITY not in re.sub(r"[?&]email=[^&\"]*", "", said), "the response repeats identity data"
    # A resolution names the next request, with the ID of an end-user that exists.
    beyond = re.sub(r"/v0/end-users/[^/`\s]+", "", said)
    assert response.status_code < 400 or MARK not in beyond, "an error repeats what was sent"
    assert "x-injected" not in response.headers, "a header was injected"


@schemathesis.check
def error_is_declared(ctx, response, case):
    if response.status_code < 400 or not is_asked_for(case, response):
        return
    error = json.loads(response.content)["error"]
    declared = case.operation.definition.raw["x-error-codes"].get(str(response.status_code), [])
    assert error["code"] in declared, f"{error['code']} is not declared"
    if "idempotent-replayed" not in response.headers:
        assert error["requestId"] == response.headers["x-request-id"][0], "the error names another request"


def again(response, path=None, method=None, **headers):
    """Sends the request of a response again. `None` removes a header."""
    request = copy.copy(response.request)
    request.headers = request.headers.copy()
    for name, value in headers.items():
        request.headers.pop(name.replace("_", "-"), None)
        if value is not None:
            request.headers[name.replace("_", "-")] = value
    request.method = method or request.method
    if path is not None:
        request.url = re.sub(r"^(https?://[^/]+)[^?]*", lambda found: found[1] + path, request.url)
    if method == "GET":
        request.body = None
        request.url = request.url.split("?")[0]
        for name in ("Content-Type", "Content-Length", "Idempotency-Key"):
            request.headers.pop(name, None)
    return session.send(request, timeout=45, allow_redirects=False)


@schemathesis.check
def repeat_gets_the_same_response(ctx, response, case):
    parameters = case.operation.definition.raw.get("parameters", [])
    takes_key = any("IdempotencyKey" in parameter.get("$ref", "") for parameter in parameters)
    if not takes_key or response.status_code != 200 or not is_asked_for(case, response):
        return
    if "Idempotency-Key" not in response.request.headers:
        return
    tally.checked["repeats"] += 1
    repeated = again(response)
    assert repeated.status_code == 200, f"a repeat under the same Idempotency-Key got {repeated.status_code}"
    assert repeated.content == response.content, "a repeat under the same Idempotency-Key got another response"
    assert repeated.headers.get("idempotent-replayed") == "true", "the response to a repeat does not say so"


# How to read what an operation created, and what an operation deleted.
CREATED = {
    "createEndUser": ("/v0/end-users/", "externalUserId"),
    "createVirtualAccount": ("/v0/virtual-accounts/", "id"),
    "createWebhookEndpoint": ("/v0/webhook-endpoints/", "id"),
    "startReplay": ("/v0/replays/", "id"),
}
DELETED = ("deleteEndUser", "deleteWebhookEndpoint")


@schemathesis.check
def created_is_there_and_deleted_is_gone(ctx, response, case):
    operation = id_of(case.operation)
    if response.status_code != 200 or not is_asked_for(case, response):
        return
    if operation in CREATED:
        path, member = CREATED[operation]
        created = json.loads(response.content)["data"][member]
        tally.checked["created"] += 1
        read = again(response, path + requests.utils.quote(created, safe=""), method="GET")
        assert read.status_code == 200 and read.json()["data"][member] == created, "what was created is not there"
    if operation in DELETED:
        tally.checked["deleted"] += 1
        assert again(response, method="GET").status_code == 404, "what was deleted is still there"


@schemathesis.check
def foreign_is_absent(ctx, response, case):
    """An object of another business gets the same response as an object that does not exist."""
    path = case.operation.path
    if not FOREIGN[path] or not is_of_a_business(case) or not is_asked_for(case, response) or not one_in(3):
        return
    tally.checked["foreign"] += 1
    foreign, absent = (again(response, path.format(**names[path]), Idempotency_Key=None) for names in (FOREIGN, ABSENT))
    assert foreign.status_code != 200, "an object of another business was found"
    assert seen(foreign) == seen(absent), f"a foreign object differs from an absent one: {seen(foreign)}, {seen(absent)}"


def seen(answer):
    names = sorted({name.lower() for name in answer.headers} - {"connection", "keep-alive"})
    return answer.status_code, re.sub(r"req_[0-9a-z]{26}", "", answer.text), names


def is_of_a_business(case):
    return any("businessKey" in item for item in case.operation.definition.raw["security"])


@schemathesis.check
def credential_is_judged(ctx, response, case):
    """Revoked and expired keys get 401, and a key without the scope gets 403."""
    security = case.operation.definition.raw["security"]
    scopes = next((item["businessKey"] for item in security if "businessKey" in item), None)
    if scopes is None or not is_asked_for(case, response) or not one_in(8):
        return
    key, expected = chance.choice([(key, 401) for key in FACTS["deadKeys"]] + [(FACTS["weakKey"], 403)])
    if expected == 403 and (not scopes or scopes == ["events:read"]):
        return
    tally.checked["credentials"] += 1
    answer = again(response, Authorization=f"Bearer {key}", Idempotency_Key=None)
    assert answer.status_code == expected, f"a key without the right got {answer.status_code}, not {expected}"
