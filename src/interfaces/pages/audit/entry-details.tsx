/** Renders the details of an audit entry as words and links. Users can still open the details as recorded. */
import { describeCount, formatCount } from '../../../core/quantities.ts';
import { isKind, KINDS } from '../../../core/questions/question-kinds.ts';
import { type AuditView, detailsText } from '../../../privacy/audit-view.ts';
import { Timestamp } from '../frame/parts.tsx';

/** The users and runs in a page of entries. A user or run that no longer exists is missing. */
export interface AuditNames {
  /** The name of each user. */
  users: ReadonlyMap<string, string>;
  /** The time at which each run started (ISO 8601). */
  runs: ReadonlyMap<string, string>;
}

interface EntryDetailsProps {
  entry: AuditView;
  names: AuditNames;
  now: number;
}

export function EntryDetails({ entry, names, now }: EntryDetailsProps) {
  const { details, readable, action } = entry;
  if (!readable) return <>{detailsText(entry)}</>;
  const { run = null, hold = null, person = null } = details;
  const startedAt = typeof run === 'string' ? names.runs.get(run) : undefined;
  const words = describeDetails(details);
  return (
    <>
      {run !== null && (
        <span class="detail">
          {startedAt === undefined ? (
            'A run that is waiting or no longer recorded'
          ) : (
            <a href={`/runs/${run}`}>
              The run of <Timestamp at={startedAt} now={now} as="moment" />
            </a>
          )}
        </span>
      )}
      {hold !== null && (
        <span class="detail">
          <a href={`/decisions/${hold}`}>The decision</a>
        </span>
      )}
      {typeof person === 'string' && (
        <span class="detail">User: {names.users.get(person) ?? 'no longer a user'}</span>
      )}
      {words.length > 0 && <span class="detail">{words.join(', ')}</span>}
      <details class="detail">
        <summary>Code</summary>
        <code>{action}</code> {detailsText(entry)}
      </details>
    </>
  );
}

/** Details that only a program understands, and details that the page renders as links. */
const NOT_WORDED: readonly string[] = [
  ...['run', 'hold', 'person', 'batch', 'approval', 'passkey', 'link', 'token', 'command'],
];

/** Describes the other details, such as `3 names` or `decision: approved`. A pure function. */
function describeDetails(details: AuditView['details']): string[] {
  return Object.entries(details).flatMap(([name, value]) => {
    if (NOT_WORDED.includes(name) || name.startsWith('part.')) return [];
    if (value === null || value === false || value === 0) return [];
    return [describeDetail(name, value)];
  });
}

function describeDetail(name: string, value: string | number | true): string {
  const words = toWords(name);
  if (value === true) return words;
  if (typeof value === 'number') return COUNTS[name]?.(value) ?? `${words}: ${formatCount(value)}`;
  return `${words}: ${VALUES[name]?.(value) ?? value}`;
}

const COUNTS: Readonly<Record<string, (count: number) => string>> = {
  names: (count) => describeCount(count, 'name'),
  contacts: (count) => describeCount(count, 'contact'),
  entries: (count) => describeCount(count, 'entry', 'entries'),
  rows: (count) => describeCount(count, 'row'),
  sessions: (count) => describeCount(count, 'session'),
};

const VALUES: Readonly<Record<string, (value: string) => string>> = {
  kind: (value) => (isKind(value) ? KINDS[value].name : value),
  trigger: (value) => (value === 'manual' ? 'by hand' : value),
};

/** Splits the name of a detail into words, for example `madeAt`. A pure function. */
function toWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
