/** Shows paid values that wait to be written, on the pages of a run and of a client. */
import type { ValuesWaiting } from '../../../core/waiting-values.ts';
import { waitingSentences, waitingTitle } from '../../../fields/waiting-values-view.ts';

/** Renders the waiting values. Renders nothing if no values are waiting. */
export function WaitingValues({ waiting }: { waiting: ValuesWaiting | undefined }) {
  if (waiting === undefined || waiting.values === 0) return null;
  return (
    <details id="values-waiting">
      <summary>{waitingTitle(waiting)}</summary>
      <ul class="sentences">
        {waitingSentences(waiting).map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
    </details>
  );
}
