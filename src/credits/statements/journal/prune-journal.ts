/** Removes journal lines that no restore needs. */
import type { ActorTransaction } from '../../../database/actor-transaction.ts';
import type { JournalLine } from './journal-lines.ts';
import { lockJournal } from './lock-journal.ts';
import type { StoreJournal } from './spending-journal.ts';

const DAY_MS = 86_400_000;

/** The interval at which old lines are removed. Rewriting the file after every run would take too long. */
const REMOVED_TOGETHER_MS = 30 * DAY_MS;

type PruneStore = {
  readonly spendingJournal: StoreJournal;
  act<Result>(work: (trx: ActorTransaction) => Promise<Result>): Promise<Result>;
};

/**
 * Removes a client's lines from before this time (epoch ms). Older profiles are outdated, and donor-sync would buy them
 * again anyway.
 */
export async function pruneJournal(
  { spendingJournal: journal, act }: PruneStore,
  integrationId: string,
  before: number,
): Promise<void> {
  const oldest = await journal.findOldest();
  if (oldest === null || oldest >= before - REMOVED_TOGETHER_MS) return;
  await act(async (trx) => {
    await lockJournal(trx);
    const { lines } = await journal.read();
    const old = new Set(lines.flatMap((line) => (isOldRequest(line) ? line.id : [])));
    await journal.rewrite((line) => (isOld(line, old) ? null : line));
  });

  function isOldRequest(line: JournalLine): line is JournalLine & { id: string } {
    return line.what === 'intended' && line.integration === integrationId && line.at < before;
  }

  function isOld(line: JournalLine, requests: ReadonlySet<string>): boolean {
    return line.what === 'balance' ? line.at < before : requests.has(line.id);
  }
}
