"""What the page needs for its commands: a login, and the choices for a fault."""

from typing import Final

from starlette.responses import Response

from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.documents.fault_form_view import FaultFormView, fault_form_view
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.missing import missing
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.settings.api_names import api_of

COMMANDS: Final = Endpoints()


class LoginDocument(Document, kw_only=True):
    """The token that commands need."""

    token: str


class SessionView(View):
    """Whether commands of this client are accepted."""

    needs_token: bool
    may_command: bool


class FaultFormQuery(Document):
    """The API whose calls a fault is for."""

    api: str = "Produce"


@COMMANDS.add("GET", "/session", reads=Nothing, answers=SessionView)
def get_session(request: ApiRequest[Nothing]) -> SessionView:
    """Show whether commands need a token, and whether this client has it."""
    guard = request.guard
    return SessionView(
        needs_token=guard.needs_token, may_command=guard.may_command(request.headers)
    )


@COMMANDS.add("POST", "/session", reads=LoginDocument)
def log_in(request: ApiRequest[LoginDocument]) -> Response:
    """Log in a page with the token; the answer sets a cookie."""
    cookie = request.guard.log_in(request.document.token, request.headers)
    return Response(status_code=204, headers={"Set-Cookie": cookie})


@COMMANDS.add(
    "GET",
    "/views/fault-form",
    reads=FaultFormQuery,
    answers=FaultFormView,
    problems=("not-found",),
)
def view_fault_form(request: ApiRequest[FaultFormQuery]) -> FaultFormView:
    """Show the selectors, effects and errors that calls of an API can carry."""
    api = api_of(request.document.api)
    served = {ApiKey(key): route for key, route in request.host.service.routes.items()}
    if api not in served:
        raise missing("API", api.title, (each.title for each in served))
    return fault_form_view(api, served)
