/** What the spending journal says about the time since a backup. Pure. */
import type { AnsweredLine, IntendedLine, JournaledContact, JournalLine } from './journal-lines.ts';

/** A request that may have cost credits. */
export interface RecalledRequest {
  intended: IntendedLine;
  /** Null if no response was recorded: whether it was charged is unknown. */
  answered: AnsweredLine | null;
}

/** A contact of such a request, and the job that its credit started. */
export interface RecalledPayment extends JournaledContact {
  /** Null if it is unknown. */
  jobId: string | null;
}

/** The requests that were not refused, in the order of the file. */
export function listRequests(lines: readonly JournalLine[]): RecalledRequest[] {
  const ends = new Map<string, AnsweredLine>();
  for (const line of lines) if (line.what === 'answered') ends.set(line.id, line);
  const intents = new Map<string, IntendedLine>();
  for (const line of lines) if (line.what === 'intended') intents.set(line.id, line);
  return [...intents.values()].flatMap((intended) => {
    const answered = ends.get(intended.id) ?? null;
    return answered?.charged === 0 ? [] : [{ intended, answered }];
  });
}

/** The contacts of a submission that were paid for, or may have been. */
export function listPayments({ intended, answered }: RecalledRequest): RecalledPayment[] {
  if (intended.subject.kind !== 'enhancements') return [];
  const jobs = answered?.jobs ?? {};
  // If as much was charged as there are jobs, the contacts without a job were not paid for.
  const isWhole = answered !== null && answered.charged <= Object.keys(jobs).length;
  return intended.subject.contacts.flatMap((contact) => {
    const jobId = jobs[contact.trackingId] ?? null;
    return jobId === null && isWhole ? [] : [{ ...contact, jobId }];
  });
}

/**
 * The enhancements balance of a key that the journal implies, from its last reading up to the backup
 * (epoch ms) and everything that was charged since; a request without an answer counts in full. Null if
 * there is no such reading: the journal was begun later. A different balance means that the journal does
 * not know all that was spent.
 */
export function expectBalance(
  lines: readonly JournalLine[],
  key: string,
  backupAt: number,
): number | null {
  const at = lines.findLastIndex(
    (line) => line.what === 'balance' && line.key === key && line.at <= backupAt,
  );
  const reading = lines[at];
  if (reading?.what !== 'balance') return null;
  // While the balance was read, no submission of the key was open.
  return listRequests(lines.slice(at + 1)).reduce(
    (balance, { intended, answered }) =>
      intended.key === key && intended.subject.kind === 'enhancements'
        ? balance - (answered?.charged ?? intended.credits)
        : balance,
    reading.balance,
  );
}

/** The time of the last line (epoch ms); 0 if there is none. */
export function lastLineAt(lines: readonly JournalLine[]): number {
  return lines.reduce((last, { at }) => Math.max(last, at), 0);
}
