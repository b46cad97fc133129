import { crmName } from '../../../../connectors/index.ts';
import type { ClientView } from '../../../clients/views/clients.ts';
import type { NightView } from '../../../clients/views/nights.ts';
import { isAtLimit } from '../../../clients/views/verdict.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import { adviceFor } from '../../../sync/views/advice.ts';
import { may, type Viewer } from '../frame/layout.tsx';
import { AdvisedStep, Dialog, Status, Timestamp } from '../frame/parts.tsx';
import { Pause } from './client-buttons.tsx';
import { toAnchor } from './client-detail.ts';
import { clientHref, decisionsHref } from './client-href.ts';
import { getClientStatus } from './client-parts.tsx';

export function ClientRow(props: { client: ClientView; viewer: Viewer; hasDetail: boolean }) {
  const { client, viewer, hasDetail } = props;
  const { id, name, crm, run } = client;
  return (
    <tr id={toAnchor(id)} {...(run === null ? {} : { 'data-run': run })}>
      <th scope="row">
        <a class="client-name" href={clientHref(id)}>
          {name}
        </a>
        <span class="kind">{crmName(crm)}</span>
      </th>
      <td data-label="State" class="state">
        <State client={client} hasDetail={hasDetail} viewer={viewer} />
      </td>
      <td data-label="Last 14 nights">
        <Nights client={client} />
      </td>
      <td data-label="Runs" class="moments">
        <Runs client={client} now={viewer.now} />
      </td>
      <td data-label="Credits this month" class="credits-cell">
        <Credits client={client} />
      </td>
      {may(viewer, 'admin') && (
        <td class="action">
          <Actions client={client} />
        </td>
      )}
    </tr>
  );
}

function State(props: { client: ClientView; hasDetail: boolean; viewer: Viewer }) {
  const { client, hasDetail, viewer } = props;
  const { id, standing, problem, run, decisions } = client;
  const [step] = problem?.advice.steps ?? [];
  return (
    <>
      {run === null ? (
        <Status {...getClientStatus(client)} />
      ) : (
        <a href={`/runs/${run}`}>
          <Status {...getClientStatus(client)} />
        </a>
      )}
      {run !== null && standing === 'syncing' && (
        <progress aria-label={`Contacts of ${client.name} that are settled`} data-progress />
      )}
      {problem && (
        <span class="detail">
          {hasDetail ? problem.message : problem.advice.cause}
          {hasDetail && step && (
            <span class="quiet">
              {' '}
              → <AdvisedStep step={step} role={viewer.principal?.role ?? null} />
            </span>
          )}
        </span>
      )}
      {decisions > 0 && (
        <a class="detail" href={decisionsHref(id)}>
          {describeCount(decisions, 'decision')}
        </a>
      )}
    </>
  );
}

const NIGHT_SIGNS: Readonly<Record<NonNullable<NightView['status']> | 'none', string>> = {
  succeeded: '✓',
  running: '…',
  incomplete: '‖',
  failed: '×',
  none: '',
};

/** Renders one cell for each night. The cell links to the last run of the night. */
function Nights({ client: { id, name, nights } }: { client: ClientView }) {
  return (
    <ol class="nights" aria-label={`Nights of ${name}`}>
      {nights.map((night) => {
        const kind = night.status ?? 'none';
        const text = nightText(id, night);
        const sign = (
          <>
            <span aria-hidden="true">
              {NIGHT_SIGNS[isAtLimit({ code: night.reason }) ? 'succeeded' : kind]}
            </span>
            <span class="hidden">{text}</span>
          </>
        );
        return (
          <li class={`night night-${kind}`} title={text}>
            {night.run === null ? (
              sign
            ) : (
              <a href={`/runs/${night.run}`} tabindex={-1}>
                {sign}
              </a>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function nightText(id: string, { day, status, reason, runs }: NightView): string {
  const times = runs > 1 ? `, ${runs} runs` : '';
  const words = {
    succeeded: 'done',
    running: 'running',
    failed: 'failed',
    incomplete: `${isAtLimit({ code: reason }) ? 'ended' : 'stopped'}, as ${adviceFor(reason === null ? null : { code: reason }, id).cause}`,
  };
  return `Night to ${dayText(day)}: ${status === null ? 'no run' : words[status]}${times}`;
}

const DAY_FORMAT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

function dayText(day: string): string {
  return DAY_FORMAT.format(new Date(`${day}T00:00:00Z`));
}

function Runs({ client: { lastSuccessAt, schedule }, now }: { client: ClientView; now: number }) {
  return (
    <>
      <span class="detail">
        <span class="quiet">Last success: </span>
        {lastSuccessAt === null ? 'never' : <Timestamp at={lastSuccessAt} now={now} />}
      </span>
      <span class="detail">
        <span class="quiet">Next run: </span>
        {schedule === null && 'when someone starts it'}
        {schedule?.paused && <Status kind="patience" word="paused" />}
        {schedule && !schedule.paused && schedule.nextRunAt === null && 'not planned'}
        {schedule?.nextRunAt && <Timestamp at={schedule.nextRunAt} now={now} />}
      </span>
    </>
  );
}

function Credits({ client: { month, nights } }: { client: ClientView }) {
  const { spent, budget } = month;
  return (
    <>
      <span class="number">
        {formatCount(spent)}
        {budget !== null && <span class="quiet"> of {formatCount(budget)}</span>}
      </span>
      <span class="detail quiet">used for contacts</span>
      {budget !== null && budget > 0 && (
        <meter
          min={0}
          max={budget}
          value={Math.min(spent, budget)}
          aria-label={`${formatCount(spent)} of ${formatCount(budget)} credits for contacts this month`}
        />
      )}
      <Sparkline values={nights.map((night) => night.spent)} />
    </>
  );
}

const SPARK_WIDTH = 84;
const SPARK_HEIGHT = 20;

/** Renders a small chart of the credits that were spent each night. */
function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(...values);
  if (most === 0) return null;
  const step = SPARK_WIDTH / (values.length - 1);
  const points = values.map(
    (value, place) =>
      `${Math.round(place * step)},${Math.round(SPARK_HEIGHT - 1 - (value / most) * (SPARK_HEIGHT - 2))}`,
  );
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`}
      role="img"
      aria-label={`Credits by night: ${values.join(', ')}`}
    >
      <title>Credits used in each of the last {values.length} nights</title>
      <polyline points={points.join(' ')} />
    </svg>
  );
}

/** Renders the actions for admins, with the effect of each action. */
function Actions({ client }: { client: ClientView }) {
  const { id, name, run, schedule } = client;
  const dialog = `${toAnchor(id)}_actions`;
  return (
    <>
      <button type="button" class="button small" id={`${dialog}_open`} popovertarget={dialog}>
        Actions<span class="hidden"> for {name}</span>
      </button>
      <Dialog id={dialog} title={name}>
        <div class="choice">
          <form method="post" action={`/integrations/${id}/sync?back=home`}>
            <button type="submit" class="button primary">
              Sync now
            </button>
          </form>
          <span class="quiet">
            Reads the changes in the CRM. Each new or changed contact costs a credit, and each new
            member of a network costs a credit for networks.
          </span>
        </div>
        {schedule && (
          <div class="choice">
            <Pause client={client} schedule={schedule} back="home" />
            <span class="quiet">
              {schedule.paused
                ? 'The next run starts at the next scheduled time.'
                : 'No scheduled run starts until the schedule is resumed. A run in progress continues.'}
            </span>
          </div>
        )}
        {run !== null && (
          <div class="choice">
            <form method="post" action={`/runs/${run}/stop?back=home`}>
              <button type="submit" class="button">
                Stop the run
              </button>
            </form>
            <span class="quiet">
              The run stops within seconds. Nothing is lost, and the next run continues from there.
            </span>
          </div>
        )}
        <button
          type="button"
          class="button plain"
          popovertarget={dialog}
          popovertargetaction="hide"
        >
          Cancel
        </button>
      </Dialog>
    </>
  );
}
