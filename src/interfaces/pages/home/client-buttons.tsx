/** Renders the actions for a client, on the client's page and in the list of clients. `back` selects the next page. */
import type { PlannedRuns } from '../../../clients/views/status.ts';
import { ConfirmDialog } from '../frame/parts.tsx';
import { toAnchor } from './client-detail.ts';

/** The page to return to: `home` is the list, and `client` is the client's page. */
export type Back = 'home' | 'client';

interface Named {
  id: string;
  name: string;
}

/** Pauses or resumes the schedule. Neither action spends credits. */
export function Pause(props: { client: Named; schedule: PlannedRuns; back: Back }) {
  const { client, schedule, back } = props;
  const word = schedule.paused ? 'resume' : 'pause';
  return (
    <form method="post" action={`/integrations/${client.id}/${word}?back=${back}`}>
      <button type="submit" class="button" id={`${toAnchor(client.id)}_${word}`}>
        {schedule.paused ? 'Resume schedule' : 'Pause schedule'}
        <span class="hidden"> of {client.name}</span>
      </button>
    </form>
  );
}

export function StopRun({ run, name, back }: { run: string; name: string; back: Back }) {
  return (
    <ConfirmDialog
      id={`stop_${run}_question`}
      buttonId={`stop_${run}`}
      label="Stop"
      title={`Stop this run of ${name}?`}
      action={`/runs/${run}/stop?back=${back}`}
      answer="Stop the run"
    >
      The run stops within seconds. Paid results are kept, nothing is paid for twice, and the next
      run continues from there. The schedule does not change.
    </ConfirmDialog>
  );
}
