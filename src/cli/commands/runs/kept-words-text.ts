import type { KeptWords } from '../../../application/kept-words.ts';
import type { Output } from '../../terminal/output.ts';
import { countOf, formatCount } from '../../terminal/quantities.ts';
import { shortId } from '../../terminal/short-id.ts';

/** Says where to look at what the CRM said, if anything of it is kept. */
export function printWordsHint(output: Output, runId: string, count: number): void {
  if (count === 0) return;
  output.print();
  output.print(
    `What the CRM said (${countOf(count, 'text')}): donor-sync runs ${shortId(runId)} --show`,
  );
}

/** What the CRM said of a run and its contacts, for the person who decides. */
export function printWords(output: Output, words: readonly KeptWords[], limit: number): void {
  output.print();
  if (words.length === 0) {
    output.print('Nothing that the CRM said is kept of this run: texts are kept for 30 days.');
    return;
  }
  output.print(output.style.strong('What the CRM said'));
  for (const { contact, text } of words.slice(0, limit)) {
    output.print(`  ${output.style.faint(contact ?? 'the run')}  ${text ?? KEY_GONE}`);
  }
  const rest = words.length - limit;
  if (rest > 0) {
    output.print(output.style.faint(`and ${formatCount(rest)} more (--limit N shows more)`));
  }
}

const KEY_GONE = '(sealed with a key that is not in DONOR_SYNC_SECRET_KEY any more)';
