/** Small parts that several pages share. */
import type { Child, PropsWithChildren } from 'hono/jsx';
import { isAtLimit } from '../../../clients/views/verdict.ts';
import { type Outcome, UNKNOWN_PERSON } from '../../../core/outcome.ts';
import { describeCount, formatCount, formatDuration } from '../../../core/quantities.ts';
import type { RunReport } from '../../../core/run.ts';
import { type Advice, adviceFor } from '../../../sync/views/advice.ts';

/** The meanings of marks. Each has its own shape, so the meaning does not depend on colour alone. */
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

/** Renders an icon. Text with the same meaning appears next to it. */
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

/** Renders an instant (ISO 8601): relative to now, or as a date and a time. */
export function Timestamp(props: { at: string; now: number; as?: 'relative' | 'moment' }) {
  const { at, now, as = 'relative' } = props;
  const moment = formatTimestamp(at);
  return (
    <time datetime={at} data-as={as} title={moment}>
      {as === 'moment' ? moment : formatRelative(at, now)}
    </time>
  );
}

/** Renders how a run ended, or that it is in progress. */
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

/** For a run that ended because the settings allow it no more credits, as in a trial. */
export const AT_LIMIT = 'At its limit';

/** True if a user has to act, or the client continues automatically. */
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

/** The outcome of people whom the service does not know. It is not a failure. */
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

/** Renders a run's error, and what to do about it. */
export function ErrorNotice(props: {
  which: string;
  message: string;
  advice: Advice;
  isAtLimit?: boolean;
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
        {advice.steps.map(({ text, command }) => (
          <p>
            <span aria-hidden="true">→ </span>
            {text}
            {command === null ? (
              '.'
            ) : (
              <>
                : <CommandLine text={command} />
              </>
            )}
          </p>
        ))}
      </div>
    </div>
  );
}

/** Renders the popover that a button with this `popovertarget` opens. */
export function Dialog(props: PropsWithChildren<{ id: string; title: Child }>) {
  const { id, title, children } = props;
  return (
    <div popover="auto" class="dialog" id={id} role="dialog" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{title}</h3>
      {children}
    </div>
  );
}

/** Renders a button that opens a confirmation with two answers, one of which sends a form to `action`. */
export function ConfirmDialog(
  props: PropsWithChildren<{
    /** The dialog's ID. The button gets the ID `buttonId` if scripts need to find it. */
    id: string;
    buttonId?: string;
    /** The key that presses the button, on pages with keys. */
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

/** Renders a button that opens a list of choices, including one to cancel. */
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
 * Renders the message that a chart could not be drawn, and where the same numbers are. The script hides it once the
 * chart is drawn, so it also appears if the script did not load.
 */
export function ChartProblem({ id, children }: PropsWithChildren<{ id: string }>) {
  return (
    <p class="quiet" id={id}>
      {children}
    </p>
  );
}

/** Renders a term and its value, in a list of `facts`. */
export function Fact({ name, children }: PropsWithChildren<{ name: string }>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Renders a time zone such as `America/Chicago`, which wraps only at the end of a word. */
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

/** Renders the headers of a table, for columns with texts and columns with numbers. */
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

/** Renders a text cell of a table. On screens too narrow for columns, it takes a separate line. */
export function TableCell({ label, children }: PropsWithChildren<{ label: string }>) {
  return (
    <td data-label={label} class="wide">
      {children}
    </td>
  );
}

/** Renders the number cells of a table, by their headers. Zeros are less prominent than other numbers. */
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
 * Renders a contact's ID: a link to its page here, for users who may see names (`href`), otherwise to its record in the
 * CRM. The page here also links to that record. With `client`, a page with the asset `names` shows the name too.
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

/** Renders a contact's ID as text. For users who may see names, the browser shows the name before it. */
export function NamedId({ id, client }: { id: string; client: string | null }) {
  const text = <span class="contact-id">{id}</span>;
  // A user may have typed an address without an ID.
  return client === null || id === '' ? text : <span data-name-of={`${client}/${id}`}>{text}</span>;
}

/** Renders a CRM ID, as a link to the record's page if the address is known. */
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

/** Renders a command to copy. Its lines wrap between words, never at a hyphen within a word. */
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

/** The number of characters that fit on a line of the narrowest phone. Long IDs of contacts have 18 characters. */
const MAX_WHOLE_LENGTH = 24;

/** Renders a word of code that does not wrap, unless it is too long for the line. */
function Word({ text }: { text: string }) {
  return <span class={text.length > MAX_WHOLE_LENGTH ? '' : 'whole'}>{text}</span>;
}

const UNITS = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
] as const;

/** Formats an instant (ISO 8601) in its largest unit: `2 hours ago`, `in 5 minutes`, `just now`. */
export function formatRelative(instant: string, nowMs: number): string {
  const distanceMs = Date.parse(instant) - nowMs;
  const unit = UNITS.find(({ ms }) => Math.abs(distanceMs) >= ms);
  if (unit === undefined) return distanceMs > 0 ? 'in a moment' : 'just now';
  const text = describeCount(Math.floor(Math.abs(distanceMs) / unit.ms), unit.name);
  return distanceMs > 0 ? `in ${text}` : `${text} ago`;
}

/** Formats an instant (ISO 8601) as `20 Nov 2026, 02:00 UTC`. */
export function formatTimestamp(instant: string): string {
  return `${MOMENT_FORMAT.format(new Date(instant))} UTC`;
}

const MOMENT_FORMAT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** Formats the time between two instants (ISO 8601) as `4.2 s`. */
export function formatSpan(from: string, to: string): string {
  return formatDuration(Date.parse(to) - Date.parse(from));
}
