"""What the double answers: the REST calls of the description, and the one GraphQL question that is asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.github_double.contract import filled
from tests.github_double.state import PullRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.github_double.state import Account, Artifact, Comment, Run, State, Token

# A status, a body that becomes JSON (None: none), and headers.
Answer = tuple[int, Any, dict[str, str]]
LONGEST_COMMENT = 65_536


def said(status: int, message: str, **more: Any) -> Answer:
    """A refusal as GitHub words them."""
    return (
        status,
        {"message": message, "documentation_url": "https://docs.github.com/rest", "status": str(status)}
        | more,
        {},
    )


NOT_FOUND = said(404, "Not Found")
NOT_ALLOWED = said(403, "Resource not accessible by integration")
LOCKED = said(403, "Unable to create comment because issue is locked.")


class Routes:
    """Answers calls from a state. ``api`` is the address of the API, ``storage`` gives that of the files."""

    def __init__(self, state: State, api: str, storage: Callable[[], str]) -> None:
        self.state, self.api, self.storage = state, api, storage
        repository = re.escape(f"/repos/{state.repository}")
        self.table: list[tuple[str, re.Pattern[str], Callable[..., Answer]]] = [
            (method, re.compile(pattern.replace("REPO", repository)), answer)
            for method, pattern, answer in [
                ("GET", r"/user", self.user),
                ("GET", r"REPO/issues/(\d+)/comments", self.list_comments),
                ("POST", r"REPO/issues/(\d+)/comments", self.create_comment),
                ("GET", r"REPO/issues/comments/(\d+)", self.get_comment),
                ("PATCH", r"REPO/issues/comments/(\d+)", self.update_comment),
                ("DELETE", r"REPO/issues/comments/(\d+)", self.delete_comment),
                ("GET", r"REPO/pulls", self.list_pull_requests),
                ("GET", r"REPO/pulls/(\d+)", self.get_pull_request),
                ("GET", r"REPO/commits/(\w+)/pulls", self.list_of_commit),
                ("GET", r"REPO/actions/runs/(\d+)", self.get_run),
                ("GET", r"REPO/actions/runs/(\d+)/artifacts", self.list_artifacts),
                ("GET", r"REPO/actions/artifacts/(\d+)/zip", self.download),
            ]
        ]

    def answer(self, token: Token, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        """The answer to one call, which may change the state."""
        for verb, pattern, route in self.table:
            found = pattern.fullmatch(path)
            if found and verb == method:
                return route(
                    token, query, body, *(int(part) if part.isdecimal() else part for part in found.groups())
                )
        return NOT_FOUND

    # comments

    def list_comments(self, token: Token, query: dict[str, str], body: Any, number: int) -> Answer:
        if number not in self.state.pull_requests:
            return NOT_FOUND
        path = f"/repos/{self.state.repository}/issues/{number}/comments"
        return self._page(path, query, [self.comment_json(item) for item in self.state.comments_on(number)])

    def create_comment(self, token: Token, query: dict[str, str], body: Any, number: int) -> Answer:
        pull_request = self.state.pull_requests.get(number)
        refusal = self._refusal(token, pull_request, body)
        if refusal:
            return refusal
        made = self.comment_json(self.state.add_comment(number, body["body"], token.account))
        return 201, made, {"Location": made["url"]}

    def get_comment(self, token: Token, query: dict[str, str], body: Any, comment: int) -> Answer:
        found = self.state.comments.get(comment)
        return (200, self.comment_json(found), {}) if found else NOT_FOUND

    def update_comment(self, token: Token, query: dict[str, str], body: Any, comment: int) -> Answer:
        found = self.state.comments.get(comment)
        if found is None:
            return NOT_FOUND
        refusal = self._refusal(token, self.state.pull_requests.get(found.number), body)
        if refusal:
            return refusal
        found.bodies.append(body["body"])
        return 200, self.comment_json(found), {}

    def delete_comment(self, token: Token, query: dict[str, str], body: Any, comment: int) -> Answer:
        found = self.state.comments.get(comment)
        if found is None:
            return NOT_FOUND
        if not token.may_write:
            return NOT_ALLOWED
        del self.state.comments[comment]
        return 204, None, {}

    def _refusal(self, token: Token, pull_request: PullRequest | None, body: Any) -> Answer | None:
        if pull_request is None:
            return NOT_FOUND
        if not token.may_write:
            return NOT_ALLOWED
        if pull_request.locked:
            return LOCKED
        if not body["body"].strip() or len(body["body"].encode("utf-16-le")) // 2 > LONGEST_COMMENT:
            error = {"resource": "IssueComment", "code": "unprocessable", "field": "data"}
            return said(
                422,
                "Validation Failed",
                errors=[{**error, "message": "Body is too long (maximum is 65536 characters)"}],
            )
        return None

    # pull requests

    def list_pull_requests(self, token: Token, query: dict[str, str], body: Any) -> Answer:
        owner, _, branch = query.get("head", "").partition(":")
        state = query.get("state", "open")

        def asked_for(item: PullRequest) -> bool:
            if state not in ("all", item.state):
                return False
            # A head that is not "owner:branch" filters nothing, as GitHub does.
            return not branch or (
                item.head_ref == branch and (item.head_repository or "").split("/")[0] == owner
            )

        found = [item for item in self.state.pull_requests.values() if asked_for(item)]
        path = f"/repos/{self.state.repository}/pulls"
        return self._page(
            path, query, [self.pull_request_json(item, "pull-request-simple") for item in found]
        )

    def get_pull_request(self, token: Token, query: dict[str, str], body: Any, number: int) -> Answer:
        found = self.state.pull_requests.get(number)
        return (200, self.pull_request_json(found, "pull-request"), {}) if found else NOT_FOUND

    def list_of_commit(self, token: Token, query: dict[str, str], body: Any, sha: int | str) -> Answer:
        # Commits of forks are in no pull request, as far as this call knows.
        found = [
            item
            for item in self.state.pull_requests.values()
            if item.head == str(sha) and item.head_repository == self.state.repository
        ]
        path = f"/repos/{self.state.repository}/commits/{sha}/pulls"
        return self._page(
            path, query, [self.pull_request_json(item, "pull-request-simple") for item in found]
        )

    # runs and artifacts

    def get_run(self, token: Token, query: dict[str, str], body: Any, run: int) -> Answer:
        found = self.state.runs.get(run)
        return (200, self.run_json(found), {}) if found else NOT_FOUND

    def list_artifacts(self, token: Token, query: dict[str, str], body: Any, run: int) -> Answer:
        if run not in self.state.runs:
            return NOT_FOUND
        mine = [item for item in self.state.artifacts.values() if item.run == run]
        named = [self.artifact_json(item) for item in mine if query.get("name", item.name) == item.name]
        status, page, headers = self._page(
            f"/repos/{self.state.repository}/actions/runs/{run}/artifacts", query, named
        )
        return status, {"total_count": len(named), "artifacts": page}, headers

    def download(self, token: Token, query: dict[str, str], body: Any, artifact: int) -> Answer:
        found = self.state.artifacts.get(artifact)
        if found is None:
            return NOT_FOUND
        if found.expired:
            return said(410, "Artifact has expired")
        return 302, None, {"Location": f"{self.storage()}/artifacts/{artifact}.zip?sig=x"}

    # who asks

    def user(self, token: Token, query: dict[str, str], body: Any) -> Answer:
        return (
            NOT_ALLOWED
            if token.installation
            else (
                200,
                filled("private-user", {**account_json(token.account), "user_view_type": "private"}),
                {},
            )
        )

    def graphql(self, token: Token, body: Any) -> Answer:
        """Which of some comments the token wrote: the only question that the double understands."""
        asked = re.fullmatch(
            r"query\(\$ids: \[ID!\]!\) \{ nodes\(ids: \$ids\) \{ \.\.\. on IssueComment \{ ([\w ]+) \} \} \}",
            " ".join(str(body.get("query")).split()),
        )
        ids = (body.get("variables") or {}).get("ids")
        if not asked or not isinstance(ids, list) or len(ids) > 100:
            return 200, {"errors": [{"message": "Parse error", "type": "INVALID"}]}, {}
        nodes, errors = [], []
        known = {comment.node_id: comment for comment in self.state.comments.values()}
        for node in ids:
            comment = known.get(node)
            if comment is None:
                errors.append(
                    {"type": "NOT_FOUND", "message": f"Could not resolve to a node with the id of '{node}'"}
                )
                nodes.append(None)
                continue
            values = {
                "id": node,
                "databaseId": comment.id,
                "viewerDidAuthor": comment.author == token.account,
                "body": comment.body,
            }
            nodes.append({name: values[name] for name in asked[1].split()})
        return 200, {"data": {"nodes": nodes}} | ({"errors": errors} if errors else {}), {}

    # how things look

    def comment_json(self, comment: Comment) -> Any:
        """A comment as the API shows it."""
        base, site = (
            f"{self.api}/repos/{self.state.repository}",
            f"https://github.com/{self.state.repository}",
        )
        known = {
            "id": comment.id,
            "node_id": comment.node_id,
            "url": f"{base}/issues/comments/{comment.id}",
            "html_url": f"{site}/pull/{comment.number}#issuecomment-{comment.id}",
            "issue_url": f"{base}/issues/{comment.number}",
            "body": comment.body,
            "user": account_json(comment.author),
            "author_association": "NONE",
        }
        return filled("issue-comment", known)

    def pull_request_json(self, item: PullRequest, schema: str) -> Any:
        """A pull request as the API shows it, in a list (`pull-request-simple`) or alone (`pull-request`)."""
        head: dict[str, Any] = {"ref": item.head_ref, "sha": item.head}
        owner = (item.head_repository or "unknown").split("/")[0]
        head |= {"label": f"{owner}:{item.head_ref}", "repo": repository_json(item.head_repository)}
        base = {"ref": item.base_ref, "sha": item.base, "repo": repository_json(self.state.repository)}
        known = {
            "number": item.number,
            "state": item.state,
            "locked": item.locked,
            "head": head,
            "base": base,
        }
        return filled(schema, known)

    def run_json(self, run: Run) -> Any:
        """A workflow run as the API and the event show it."""
        repository = repository_json(run.head_repository)
        if repository and run.head_repository:
            repository["owner"] = filled("simple-user", {"login": run.head_repository.split("/")[0]})
        known = {
            "id": run.id,
            "event": run.event,
            "head_sha": run.head_sha,
            "head_branch": run.head_branch,
            "run_attempt": run.attempt,
            "run_started_at": run.started_at,
            "head_repository": repository,
            "repository": repository_json(self.state.repository),
            "pull_requests": [],
        }
        return filled("workflow-run", known)

    def artifact_json(self, item: Artifact) -> Any:
        """An artifact as the API shows it."""
        base = f"{self.api}/repos/{self.state.repository}/actions/artifacts/{item.id}"
        size = len(item.data) if item.size is None else item.size
        known = {
            "id": item.id,
            "name": item.name,
            "size_in_bytes": size,
            "expired": item.expired,
            "url": base,
            "archive_download_url": f"{base}/zip",
            "created_at": item.created_at,
            "workflow_run": {"id": item.run, "head_sha": item.head_sha, "head_branch": "topic"},
        }
        return filled("artifact", known)

    def _page(self, path: str, query: dict[str, str], items: Sequence[Any]) -> Answer:
        size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
        last = max(1, -(-len(items) // size))
        rest = "".join(
            f"&{name}={value}" for name, value in query.items() if name not in ("per_page", "page")
        )
        links = [
            f'<{self.api}{path}?per_page={size}&page={number}{rest}>; rel="{relation}"'
            for relation, number, here in [
                ("prev", page - 1, page > 1),
                ("next", page + 1, page < last),
                ("last", last, page < last),
                ("first", 1, page > 1),
            ]
            if here
        ]
        return 200, items[(page - 1) * size : page * size], {"Link": ", ".join(links)} if links else {}


def account_json(account: Account) -> dict[str, Any]:
    """What is known of an account."""
    return {"login": account.login, "id": account.id, "type": account.kind, "site_admin": False}


def repository_json(name: str | None) -> dict[str, Any] | None:
    """What is known of a repository; None where it is deleted."""
    if name is None:
        return None
    return {"full_name": name, "name": name.split("/")[1], "owner": {"login": name.split("/")[0]}}
