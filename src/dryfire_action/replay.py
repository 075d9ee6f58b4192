"""Record the calls of an agent once, then play them back offline: everything that is imported for it, in one place."""

from __future__ import annotations

from dryfire_action.agent import AgentRunner as AgentRunner
from dryfire_action.agent import Event as Event
from dryfire_action.agent import Run as Run
from dryfire_action.ambient import FakeClock as FakeClock
from dryfire_action.ambient import SequentialIds as SequentialIds
from dryfire_action.call_cassette import RecordedCall as RecordedCall
from dryfire_action.call_values import RecordedError as RecordedError
from dryfire_action.divergence import ReplayDivergence as ReplayDivergence
from dryfire_action.errors import CassetteMissError as CassetteMissError
from dryfire_action.fake_tools import FakeToolRegistry as FakeToolRegistry
from dryfire_action.fake_tools import ToolExecutionError as ToolExecutionError
from dryfire_action.field_changes import FieldChange as FieldChange
from dryfire_action.fingerprint import RunFingerprint as RunFingerprint
from dryfire_action.fingerprint import fingerprint_of as fingerprint_of
from dryfire_action.http_transport import ReplayStopped as ReplayStopped
from dryfire_action.http_transport import ServerStateWarning as ServerStateWarning
from dryfire_action.replay_cassette import Cassette as Cassette
from dryfire_action.replay_cassette import UnplayedCallsError as UnplayedCallsError
from dryfire_action.replay_cassette import UnplayedCallsWarning as UnplayedCallsWarning
from dryfire_action.replay_providers import RecordingProvider as RecordingProvider
from dryfire_action.replay_providers import ReplayingProvider as ReplayingProvider
from dryfire_action.retry import RetryPolicy as RetryPolicy
from dryfire_action.run_comparison import assert_same_run as assert_same_run
from dryfire_action.run_comparison import find_divergence as find_divergence
