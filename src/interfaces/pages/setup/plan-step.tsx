import type { Setup } from '../../../clients/setup/draft.ts';
import { outcomeText } from '../../../core/outcome.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import { TRIAL_SIZE } from '../../../core/set-up-trial.ts';
import type { NetworksForecast } from '../../../networks/forecast.ts';
import type { Viewer } from '../frame/layout.tsx';
import {
  CountCells,
  Fact,
  Icon,
  OutcomeStatus,
  RunStatus,
  TableCell,
  TableHead,
} from '../frame/parts.tsx';
import { Persons } from './persons.tsx';
import { PlanChoices } from './plan-choices.tsx';
import type { PlanView } from './steps.ts';

export function PlanStep({ setup, view }: { setup: Setup; view: PlanView; viewer: Viewer }) {
  if (!setup.isNew) return <Change setup={setup} view={view} />;
  const { run } = view;
  if (setup.trialRun === null) return <BeforeTrial setup={setup} view={view} />;
  if (run === null || run.status === 'running') return <DuringTrial setup={setup} view={view} />;
  return <AfterTrial setup={setup} view={view} />;
}

function BeforeTrial({ setup, view }: { setup: Setup; view: PlanView }) {
  const { look } = view;
  const due = look?.preview.credits.enhancements.needed ?? null;
  const first = due === null ? TRIAL_SIZE : Math.min(TRIAL_SIZE, due);
  return (
    <>
      <PlanChoices setup={setup} view={view} />
      <Costs look={look} />
      <form class="onward row" method="post" action={`/setup/${setup.id}/plan`}>
        <input type="hidden" name="version" value={String(setup.version)} />
        <a class="button" href={`/setup/${setup.id}/schedule`}>
          ← Back
        </a>
        <button type="submit" class="button primary" name="do" value="trial">
          Try it on {describeCount(first, 'contact')}: at most {describeCount(first, 'credit')}
        </button>
      </form>
      <p class="quiet">
        Nothing more is sent until you have reviewed the results. The settings are saved now, but
        the schedule does not apply until you finish.
      </p>
    </>
  );
}

function Costs({ look }: { look: PlanView['look'] }) {
  if (look === null) return null;
  const { preview, persons, networks } = look;
  const { needed, allowed, remaining } = preview.credits.enhancements;
  return (
    <>
      <dl class="facts">
        <Fact name="Contacts read">{formatCount(preview.read)}</Fact>
        <Fact name="To be enhanced">{describeCount(needed, 'contact')}</Fact>
        <Fact name="Costs">{describeCount(needed, 'credit')} for contacts</Fact>
        <Fact name="Allowed by this month's budget">{describeCount(allowed, 'credit')}</Fact>
        <Fact name="Available">{describeCount(remaining, 'credit')}</Fact>
      </dl>
      <NetworkCosts networks={networks} />
      {Object.keys(preview.leave).length > 0 && (
        <p class="quiet">
          Left as they are:{' '}
          {Object.entries(preview.leave)
            .map(([reason, count]) => `${formatCount(count)} (${outcomeText(reason)})`)
            .join(', ')}
          .
        </p>
      )}
      {preview.fields.length > 0 && (
        <div class="trouble trouble-attention">
          <Icon kind="attention" />
          <p>
            {preview.fields.length === 1 ? 'One field' : `${preview.fields.length} fields`} cannot
            be written: {preview.fields.map(({ field }) => field).join(', ')}. The step “Fields”
            shows why.
          </p>
        </div>
      )}
      {persons.length > 0 && (
        <>
          <h2>The first contacts</h2>
          <Persons persons={persons} />
        </>
      )}
    </>
  );
}

/** Renders the credits for networks, which are separate from the credits for contacts. */
function NetworkCosts({ networks: { networks, credits } }: { networks: NetworksForecast }) {
  if (networks.length === 0) return null;
  const names = listNames(networks.map(({ name }) => name));
  return (
    <p>
      In addition, up to {describeCount(credits.allowed, 'credit')} for the members of {names},
      because each member whom the service knows costs a credit for networks. The service counts
      these credits separately ({formatCount(credits.remaining)} available), and this month's budget
      does not include them.
    </p>
  );
}

function listNames(names: readonly string[]): string {
  return new Intl.ListFormat('en-US', { type: 'conjunction' }).format(names);
}

/**
 * Renders the trial in progress. The script checks whether the run has ended. If the browser runs no scripts, the user
 * can reload the page.
 */
function DuringTrial({ setup, view: { run } }: { setup: Setup; view: PlanView }) {
  return (
    <div class="current" data-wait-run={setup.trialRun}>
      <p class="current-line">
        <strong>{run === null ? 'The trial starts in a moment.' : 'The trial is running.'}</strong>
        <a href={`/runs/${setup.trialRun}`}>Watch the run</a>
      </p>
      <progress aria-label="The trial"></progress>
      <p class="quiet" data-wait-words aria-live="polite">
        {run === null
          ? ''
          : `${describeCount(run.contacts.submitted, 'contact')} sent, ${formatCount(run.contacts.written)} written.`}
      </p>
      <p>
        <a href={`/setup/${setup.id}/plan`}>Refresh</a>
      </p>
    </div>
  );
}

function AfterTrial({ setup, view }: { setup: Setup; view: PlanView }) {
  const { run, examples, look } = view;
  // Contacts that the run has not sent yet have no result.
  const reasons = view.reasons.filter(({ outcome }) => outcome !== 'waiting');
  if (run === null) return null;
  const { known, answered } = getMatchRate(view);
  const rest = look?.preview.credits.enhancements.needed ?? null;
  const accepts = ACCEPTS[run.reason?.code ?? ''];
  const isLow = accepts !== undefined;
  const isWell = run.status === 'succeeded' || run.reason?.code === 'budget_reached';
  return (
    <>
      <div class="reached">
        {isWell ? (
          <RunStatus report={{ ...run, status: 'succeeded' }} isCutOff={false} />
        ) : (
          <RunStatus report={run} isCutOff={false} />
        )}
        <p>
          <strong>
            The service knew {formatCount(known)} of {describeCount(answered, 'contact')}
            {answered > 0 ? ` (${Math.round((known / answered) * 100)} %)` : ''}.
          </strong>{' '}
          {describeCount(run.credits.enhancements.spent, 'credit')} spent.{' '}
          <a href={`/runs/${run.id}`}>The whole run</a>
        </p>
        {!isWell && run.reason !== null && <p class="said">{run.reason.message}</p>}
      </div>
      {reasons.length > 0 && (
        <table class="stacks">
          <TableHead texts={['Outcome', 'Why']} counts={['Contacts']} />
          <tbody>
            {reasons.map(({ outcome, reason, text, count }) => (
              <tr>
                <th scope="row">
                  <OutcomeStatus outcome={outcome} reason={reason} />
                </th>
                <TableCell label="Why">{text}</TableCell>
                <CountCells counts={{ Contacts: count }} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {examples.length > 0 && <Examples examples={examples} />}
      <PlanChoices setup={setup} view={view} />
      <form class="stack" method="post" action={`/setup/${setup.id}/plan`}>
        <input type="hidden" name="version" value={String(setup.version)} />
        {rest === 0 || isLow ? (
          <div class="onward row">
            <button type="submit" class="button primary" name="do" value="finish">
              Finish
            </button>
          </div>
        ) : (
          <Rest
            setup={setup}
            rest={rest}
            members={look?.networks.credits.allowed ?? 0}
            nextRun={view.nextRun}
          />
        )}
        <h2>Not ready yet?</h2>
        <div class="row">
          <a class="button" href={`/setup/${setup.id}/people`}>
            ← Change something
          </a>
          <button type="submit" class="button" name="do" value="trial">
            Try some more: {describeCount(Math.min(TRIAL_SIZE, rest ?? TRIAL_SIZE), 'credit')} at
            most
          </button>
          {accepts !== undefined && (
            <button type="submit" class="button" name="do" value={accepts.value}>
              {accepts.label}
            </button>
          )}
        </div>
      </form>
    </>
  );
}

/** Renders the question of when to send the contacts that the trial did not send. It has two answers. */
function Rest(props: {
  setup: Setup;
  rest: number | null;
  members: number;
  nextRun: number | null;
}) {
  const { setup, rest, members, nextRun } = props;
  const { schedule } = setup.answers;
  const who = rest === null ? 'the other contacts' : `the other ${describeCount(rest, 'contact')}`;
  return (
    <section aria-labelledby="rest-title">
      <h2 id="rest-title">When are {who} sent?</h2>
      <ul class="answers">
        <li>
          <h3>Now</h3>
          <p>
            A run starts at once.{' '}
            {schedule === null
              ? 'Later runs start only when you start them.'
              : 'After that, the schedule sends only new and changed contacts.'}
          </p>
          <button type="submit" class="button primary" name="do" value="rest">
            {restText(rest, members)}
          </button>
        </li>
        <li>
          <h3>Later</h3>
          <p>{laterText(schedule, nextRun)}</p>
          <button type="submit" class="button" name="do" value="finish">
            {schedule === null ? 'Finish, and send nothing now' : 'Finish, and send them later'}
          </button>
        </li>
      </ul>
    </section>
  );
}

function laterText(schedule: Setup['answers']['schedule'], nextRun: number | null): string {
  if (schedule === null) return 'Nothing is sent until you start a run.';
  if (nextRun === null) return 'The schedule sends them, for the same credits.';
  const at = new Intl.DateTimeFormat('en-US', {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: schedule.timezone,
    timeZoneName: 'short',
  }).format(nextRun);
  return `The schedule sends them, for the same credits. Its first run is on ${at}.`;
}

/** The answers with which a user accepts the reason why a trial has stopped. */
const ACCEPTS: Readonly<Record<string, { value: string; label: string }>> = {
  match_rate_low: { value: 'accept', label: 'Accept this rate' },
  marks_unconfirmed: { value: 'acceptMarks', label: 'Confirm these marks' },
};

/** Describes the remaining contacts. `members` is the maximum number of credits for networks. */
function restText(rest: number | null, members: number): string {
  if (rest === null) return 'Send the rest';
  const contacts = `Send the rest: ${describeCount(rest, 'credit')}`;
  if (members === 0) return contacts;
  return `${contacts} for contacts, up to ${formatCount(members)} for network members`;
}

/** Returns the number of submitted contacts that the service recognised. */
function getMatchRate({ reasons }: PlanView): { known: number; answered: number } {
  const sum = (isWanted: (outcome: string | null, reason: string) => boolean) =>
    reasons
      .filter(({ outcome, reason }) => isWanted(outcome, reason))
      .reduce((total, { count }) => total + count, 0);
  const isUnknown = (reason: string) =>
    ['no_match', 'no_match_known', 'person_invalid'].includes(reason);
  const isAsked = (outcome: string | null, reason: string) =>
    outcome !== null &&
    ['written', 'unchanged', 'held', 'failed'].includes(outcome) &&
    reason !== 'profile_fresh';
  return {
    answered: sum(isAsked),
    known: sum(
      (outcome, reason) => isAsked(outcome, reason) && outcome !== 'held' && !isUnknown(reason),
    ),
  };
}

function Examples({ examples }: { examples: PlanView['examples'] }) {
  const labels = examples[0]?.values.map(({ label }) => label) ?? [];
  return (
    <>
      <h2>What was written</h2>
      <table class="stacks">
        <caption class="hidden">The trial's contacts with their current values in the CRM</caption>
        <TableHead texts={['Contact', ...labels]} />
        <tbody>
          {examples.map(({ name, values }) => (
            <tr>
              <th scope="row">{name}</th>
              {values.map(({ label, value }) => (
                <TableCell label={label}>
                  {value === null
                    ? '—'
                    : typeof value === 'number'
                      ? formatCount(value)
                      : String(value)}
                </TableCell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">
        These amounts are what donors may own or give, not the price of a credit. The service
        reports them in US dollars ($). In a currency field of a contact with another currency, the
        amount is converted to that currency.
      </p>
    </>
  );
}

/** Renders a change to an existing integration: the differences, and the button that applies the change. */
function Change({ setup, view }: { setup: Setup; view: PlanView }) {
  const { diff, changesPeople, look } = view;
  const isSame = diff !== null && diff.length === 0;
  return (
    <>
      {isSame ? (
        <p class="empty">These settings are the same as the current ones.</p>
      ) : (
        <>
          <h2>What changes</h2>
          <pre class="yaml diff" tabindex={0}>
            <code>
              {(diff ?? []).map(({ sign, text }) => (
                <span class={DIFF_CLASSES[sign]}>{`${sign} ${text}\n`}</span>
              ))}
            </code>
          </pre>
          <p class="quiet">Keys are not shown in this list.</p>
        </>
      )}
      {changesPeople && (
        <div class="trouble trouble-attention">
          <Icon kind="attention" />
          <p>
            This changes which contacts are enhanced, or the data that is sent for them, so it can
            change the cost. The next run tries it on {TRIAL_SIZE} contacts first. If many contacts
            change at once, a user has to decide.
          </p>
        </div>
      )}
      <Costs look={look} />
      <form class="onward row" method="post" action={`/setup/${setup.id}/plan`}>
        <input type="hidden" name="version" value={String(setup.version)} />
        <a class="button" href={`/setup/${setup.id}/schedule`}>
          ← Back
        </a>
        <button type="submit" class="button primary" name="do" value="save">
          {isSame ? 'Close' : 'Save the changes'}
        </button>
      </form>
    </>
  );
}

const DIFF_CLASSES = { '+': 'added', '-': 'removed', ' ': '' } as const;
