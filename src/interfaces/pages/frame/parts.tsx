import type { Child, PropsWithChildren } from 'hono/jsx';
import { isAtLimit } from '../../../clients/views/verdict.ts';
import { type Outcome, UNKNOWN_PERSON } from '../../../core/outcome.ts';
import { describeCount, formatCount, formatDuration } from '../../../core/quantities.ts';
import { mayActAs, type Role } from '../../../core/role.ts';
import type { RunReport } from '../../../core/run.ts';
import { type Advice, adviceFor, type Step } from '../../../sync/views/advice.ts';

/** The kinds of icons. Each kind of icon has its own shape, so users do not have to recognise the colour. */
export type IconKind = 'well' | 'busy' | 'patience' | 'attention' | 'failed' | 'idle';

const SHAPES: Readonly<Record<IconKind, Child>> = {
  well: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path d="m4.8 8.3 2.2 2.2 4.2-4.6" class="mark-line" />
    </>
  ),
  busy: (
    <>
      <circle cx="8" cy="8" r="5.8" class="mark-ring" />
      <path d="M8 2.2A5.8 5.8 0 0 1 13.8 8" class="mark-arc" />
    </>
  ),
  patience: (
    <>
      <circle cx="8" cy="8" r="6" class="mark-outline" />
      <path d="M6.3 5.5v5M9.7 5.5v5" class="mark-outline" />
    </>
  ),
  attention: (
    <>
      <path d="M8 1.4 15.2 14.4H.8z" fill="currentColor" class="mark-round" />
      <path d="M8 6v4M8 12v.1" class="mark-line" />
    </>
  ),
  failed: (
    <>
      <rect x="1.4" y="1.4" width="13.2" height="13.2" rx="3" fill="currentColor" />
      <path d="m5.4 5.4 5.2 5.2m0-5.2-5.2 5.2" class="mark-line" />
    </>
  ),
  idle: <circle cx="8" cy="8" r="6" class="mark-outline mark-dashed" />,
};

/** Renders an icon. A text with the same meaning is always next to the icon. */
export function Icon({ kind }: { kind: IconKind }) {
  return (
    <svg class={`mark mark-${kind}`} viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[kind]}
    </svg>
  );
}

/** Renders an icon with its word. */
export function Status({ kind, word }: { kind: IconKind; word: string }) {
  return (
    <span class={`status status-${kind}`}>
      <Icon kind={kind} />
      {word}
    </span>
  );
}

/** Renders a time, either relative to now or with date and time. */
export function Timestamp(props: { at: string; now: number; as?: 'relative' | 'moment' }) {
  const { at, now, as = 'relative' } = props;
  const moment = formatTimestamp(at);
  return (
    <time datetime={at} data-as={as} title={moment}>
      {as === 'moment' ? moment : formatRelative(at, now)}
    </time>
  );
}

/** Renders the status of a run. The run may be in progress or ended. */
export function RunStatus({ report, isCutOff }: { report: RunReport; isCutOff: boolean }) {
  if (isCutOff) return <Status kind="patience" word="Cut off" />;
  switch (report.status) {
    case 'running':
      return <Status kind="busy" word="Running" />;
    case 'succeeded':
      return <Status kind="well" word="Done" />;
    case 'incomplete':
      if (isAtLimit(report.reason)) return <Status kind="patience" word={AT_LIMIT} />;
      return (
        <Status kind={getMark(adviceFor(report.reason, report.integration))} word="Stopped early" />
      );
    case 'failed':
      return <Status kind="failed" word="Failed" />;
  }
}

/** The text for a run that reached its credit limit, as a trial does. */
export const AT_LIMIT = 'At its limit';

/** Returns the icon that shows whether a user must act. */
function getMark({ needs }: Advice): IconKind {
  return needs === 'person' ? 'attention' : 'patience';
}

const OUTCOME_MARKS: Readonly<Record<Outcome, IconKind>> = {
  written: 'well',
  unchanged: 'well',
  skipped: 'idle',
  failed: 'failed',
  held: 'attention',
  waiting: 'patience',
};

/** The text for people whom the service does not know. An unknown person is not a failure. */
export const UNKNOWN_WORD = 'unknown to the service';

/** Renders the outcome of a contact. */
export function OutcomeStatus({
  outcome,
  reason = '',
}: {
  outcome: Outcome | null;
  reason?: string;
}) {
  if (reason === UNKNOWN_PERSON) return <Status kind="idle" word={UNKNOWN_WORD} />;
  if (outcome === null) return <Status kind="idle" word="other" />;
  return <Status kind={OUTCOME_MARKS[outcome]} word={outcome} />;
}

export function ErrorNotice(props: {
  which: string;
  message: string;
  advice: Advice;
  isAtLimit?: boolean;
  /** The user's role, which decides which pages the advice links to. */
  role: Role | null;
}) {
  const { which, message, advice } = props;
  const ended = props.isAtLimit ? 'reached its credit limit' : 'did not finish';
  const kind = getMark(advice);
  return (
    <div class={`trouble trouble-${kind}`}>
      <Icon kind={kind} />
      <div>
        <p>
          <strong>
            {which} {ended}.
          </strong>{' '}
          {message}
        </p>
        {advice.steps.map((step) => (
          <p>
            <span aria-hidden="true">→ </span>
            <AdvisedStep step={step} role={props.role} />
          </p>
        ))}
      </div>
    </div>
  );
}

/**
 * Renders a step with a link to its page. The step names a command only if no page can do the step. If the user may not
 * open the page, only the text is shown.
 */
export function AdvisedStep({ step, role }: { step: Step; role: Role | null }) {
  const { text, command, page } = step;
  if (page !== null) {
    if (role === null || !mayActAs(role, page.role)) return <>{text}.</>;
    return (
      <>
        {text}: <a href={page.href}>{page.name}</a>
      </>
    );
  }
  if (command === null) return <>{text}.</>;
  return (
    <>
      {text}: <CommandLine text={command} />
    </>
  );
}

/** Renders a popover. A button with this `popovertarget` opens the popover. */
export function Dialog(props: PropsWithChildren<{ id: string; title: Child }>) {
  const { id, title, children } = props;
  return (
    <div popover="auto" class="dialog" id={id} role="dialog" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{title}</h3>
      {children}
    </div>
  );
}

/** Renders a question with two answers. One of them sends a form to `action`. */
export function ConfirmDialog(
  props: PropsWithChildren<{
    /** The dialog's ID. Scripts use `buttonId`. */
    id: string;
    buttonId?: string;
    /** The keyboard shortcut for the button. */
    buttonKey?: string;
    label: string;
    title: string;
    action: string;
    answer: string;
  }>,
) {
  const { id, buttonId, buttonKey, label, title, action, answer, children } = props;
  const byKey =
    buttonKey === undefined
      ? {}
      : { 'data-key': buttonKey.toLowerCase(), 'aria-keyshortcuts': buttonKey };
  return (
    <>
      <button type="button" class="button" id={buttonId} popovertarget={id} {...byKey}>
        {label}
      </button>
      <Dialog id={id} title={title}>
        <p>{children}</p>
        <form class="row" method="post" action={action}>
          <button type="submit" class="button primary">
            {answer}
          </button>
          <button type="button" class="button" popovertarget={id} popovertargetaction="hide">
            Cancel
          </button>
        </form>
      </Dialog>
    </>
  );
}

/** Renders a question with several choices. One choice cancels. */
export function Decision(props: PropsWithChildren<{ id: string; about: string; title: string }>) {
  const { id, about, title, children } = props;
  return (
    <>
      <button type="button" class="button small" id={`${id}-decide`} popovertarget={id}>
        Decide<span class="hidden"> about {about}</span>
      </button>
      <Dialog id={id} title={title}>
        {children}
        <button type="button" class="button plain" popovertarget={id} popovertargetaction="hide">
          Decide later
        </button>
      </Dialog>
    </>
  );
}

/**
 * Renders a message that names another place for the numbers of a chart. The script hides the message after it has
 * drawn the chart. Therefore, users see the message if the script is missing or fails.
 */
export function ChartProblem({ id, children }: PropsWithChildren<{ id: string }>) {
  return (
    <p class="quiet" id={id}>
      {children}
    </p>
  );
}

/** Renders a term and its value in a list of the class `facts`. */
export function Fact({ name, children }: PropsWithChildren<{ name: string }>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Renders a time zone. The name of the time zone wraps only between words. */
export function Zone({ name }: { name: string }) {
  const [first = '', ...others] = name.split('/');
  return (
    <>
      {first}
      {others.map((word) => (
        <>
          /<wbr />
          {word}
        </>
      ))}
    </>
  );
}

export function TableHead(props: { texts: readonly Child[]; counts?: readonly string[] }) {
  return (
    <thead>
      <tr>
        {props.texts.map((text) => (
          <th scope="col">{text}</th>
        ))}
        {props.counts?.map((label) => (
          <th scope="col" class="number">
            {label}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/**
 * Renders a text cell of a table. Text columns and number columns look different. On narrow screens, each cell is on
 * its own line.
 */
export function TableCell({ label, children }: PropsWithChildren<{ label: string }>) {
  return (
    <td data-label={label} class="wide">
      {children}
    </td>
  );
}

/** Renders the number cells of a table by their headers. Zeros are paler than other numbers. */
export function CountCells({ counts }: { counts: Readonly<Record<string, number>> }) {
  return (
    <>
      {Object.entries(counts).map(([label, count]) => (
        <td class={count === 0 ? 'number zero' : 'number'} data-label={label}>
          {formatCount(count)}
        </td>
      ))}
    </>
  );
}

/**
 * Renders a contact's ID. For users who may see names, the ID links to the contact's page in donor-sync (`href`), which
 * links to the CRM's record. For other users, it links to the CRM's record. With `client` and the asset `names`, the
 * name is also shown.
 */
export function ContactId(props: {
  id: string;
  url: string | null;
  href: string | null;
  client?: string | null;
}) {
  const { id, url, href, client = null } = props;
  const record = <RecordId id={id} url={href ?? url} />;
  if (client === null || href === null) return record;
  return <span data-name-of={`${client}/${id}`}>{record}</span>;
}

/** Renders a contact's ID as text, without a link. For users who may see names, the browser adds the name. */
export function NamedId({ id, client }: { id: string; client: string | null }) {
  const text = <span class="contact-id">{id}</span>;
  // The ID in the address may be missing.
  return client === null || id === '' ? text : <span data-name-of={`${client}/${id}`}>{text}</span>;
}

/** Renders a CRM ID. The ID is a link if the address of the CRM record is known. */
export function RecordId({ id, url }: { id: string; url: string | null }) {
  const code = (
    <code class="contact-id">
      <Word text={id} />
    </code>
  );
  if (url === null) return code;
  return (
    <a href={url} rel="noreferrer">
      {code}
    </a>
  );
}

/** Renders a command. The text wraps between words, never at a hyphen. */
export function CommandLine({ text }: { text: string }) {
  const [first = '', ...others] = text.split(' ');
  return (
    <code>
      <Word text={first} />
      {others.map((word) => (
        <>
          {' '}
          <Word text={word} />
        </>
      ))}
    </code>
  );
}

/** The maximum length of an ID that is shown completely. Usual long contact IDs have 18 characters. */
const MAX_WHOLE_LENGTH = 24;

function Word({ text }: { text: string }) {
  return <span class={text.length > MAX_WHOLE_LENGTH ? '' : 'whole'}>{text}</span>;
}

const UNITS = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
] as const;

/** Formats a time relative to now in its largest unit, for example `2 hours ago`. */
export function formatRelative(instant: string, nowMs: number): string {
  const distanceMs = Date.parse(instant) - nowMs;
  const unit = UNITS.find(({ ms }) => Math.abs(distanceMs) >= ms);
  if (unit === undefined) return distanceMs > 0 ? 'in a moment' : 'just now';
  const text = describeCount(Math.floor(Math.abs(distanceMs) / unit.ms), unit.name);
  return distanceMs > 0 ? `in ${text}` : `${text} ago`;
}

/** Formats a time as in `20 Nov 2026, 02:00 UTC`. */
export function formatTimestamp(instant: string): string {
  return `${MOMENT_FORMAT.format(new Date(instant))} UTC`;
}

const MOMENT_FORMAT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** Formats a duration, for example `4.2 s`. */
export function formatSpan(from: string, to: string): string {
  return formatDuration(Date.parse(to) - Date.parse(from));
}
