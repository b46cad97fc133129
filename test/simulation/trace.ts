/**
 * Records the events of a night. People read the events as a timeline. A hash of all events shows whether two nights
 * are equal.
 */
import { fnv } from './random.ts';

export interface Trace {
  /** Adds a sentence to the timeline. `who` is its subject. */
  say(who: string, what: string): void;
  /** Records an event that is too small for the timeline but must be equal in each replay. */
  note(what: string): void;
  readonly lines: readonly string[];
  /** Returns the hash of all recorded events and their times. */
  hash(): string;
}

export function createTrace(now: () => number): Trace {
  const lines: string[] = [];
  let [one, other] = [0x811c9dc5, 0x9e3779b9];

  function note(what: string): void {
    one = fnv(what, one ^ (now() * 1_000));
    other = Math.imul(other ^ one, 0x9e3779b1) ^ (other >>> 13);
  }

  return {
    say(who, what) {
      note(`${who} ${what}`);
      lines.push(`${shown(now())} ${who} ${what}`);
    },
    note,
    lines,
    hash: () => [one, other].map((each) => (each >>> 0).toString(16).padStart(8, '0')).join(''),
  };
}

/** Returns the day and time with milliseconds, for example `20 Nov 02:00:03.120`. */
function shown(ms: number): string {
  const iso = new Date(ms).toISOString();
  const month = MONTHS[Number(iso.slice(5, 7)) - 1];
  return `${iso.slice(8, 10)} ${month} ${iso.slice(11, 23)}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
