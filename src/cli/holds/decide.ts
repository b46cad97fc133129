import { ConfigurationError } from '../../core/errors.ts';
import { didYouMean } from '../../core/near-miss.ts';
import type { HoldDecision, HoldRow } from '../../store/holds.ts';
import type { Store } from '../../store/store.ts';
import { formatMoment } from '../moment.ts';
import type { Output } from '../output.ts';
import { countOf } from '../quantities.ts';
import { findId, shortId } from '../short-id.ts';

/** What a person may do about a hold, as the command line calls it. */
export const DECISIONS = ['approve', 'reject', 'resubmit'] as const;
export type DecisionWord = (typeof DECISIONS)[number];

const DECISION_OF: Readonly<Record<DecisionWord, HoldDecision>> = {
  approve: 'approved',
  reject: 'rejected',
  resubmit: 'resubmitted',
};

/**
 * Decides the holds with these ids, whole or short, all or none: a ConfigurationError says
 * which of them cannot be decided so.
 */
export async function decideHolds(
  store: Pick<Store, 'holds'>,
  output: Output,
  word: DecisionWord,
  typed: readonly string[],
): Promise<void> {
  const open = await store.holds.listOpen();
  const rows = new Map<string, HoldRow>();
  for (const id of typed) {
    const row = await findHold(store, open, id);
    if (word === 'approve') requireProfile(row);
    rows.set(row.id, row);
  }
  const decision = DECISION_OF[word];
  const holds: DecidedHold[] = [];
  for (const row of rows.values()) {
    if (await store.holds.decide(row, decision)) holds.push(decidedHold(row, decision));
    else output.note(`${shortId(row.id)} was decided by somebody else meanwhile.`);
  }
  output.finish({ holds }, () => output.print(sentenceFor(word, holds.length)));
}

interface DecidedHold {
  id: string;
  integration: string;
  contact: string;
  kind: HoldRow['kind'];
  decision: HoldDecision;
}

function decidedHold(row: HoldRow, decision: HoldDecision): DecidedHold {
  const { id, integration_id: integration, crm_id: contact, kind } = row;
  return { id, integration, contact, kind, decision };
}

async function findHold(
  { holds }: Pick<Store, 'holds'>,
  open: readonly HoldRow[],
  typed: string,
): Promise<HoldRow> {
  const ids = open.map(({ id }) => id);
  const id = findId(typed, ids);
  const row = open.find((hold) => hold.id === id);
  if (row) return row;
  const closed = await holds.find(typed);
  throw new ConfigurationError(
    closed?.decided_at
      ? `The hold "${typed}" was ${closed.decision} on ${formatMoment(closed.decided_at)} already.`
      : `There is no open hold "${typed}"${didYouMean(typed, ids) || '.'} \`donor-sync holds\` lists them.`,
    { code: 'hold_unknown', details: { hold: typed } },
  );
}

/** Approving writes the profile that is there; after a lost answer there is none. */
function requireProfile({ id, kind }: HoldRow): void {
  if (kind === 'name_mismatch') return;
  const short = shortId(id);
  throw new ConfigurationError(
    `The hold ${short} has no profile to approve: the answer was lost. Ask the service again, for another credit, with \`donor-sync holds resubmit ${short}\`, or leave the contact alone with \`donor-sync holds reject ${short}\`.`,
    { code: 'hold_without_profile', details: { hold: id } },
  );
}

function sentenceFor(word: DecisionWord, count: number): string {
  const holds = countOf(count, 'hold');
  switch (word) {
    case 'approve':
      return `${holds} approved. The next sync writes the profiles.`;
    case 'reject':
      return `${holds} rejected. The contacts are left alone.`;
    case 'resubmit':
      return `${holds} to be submitted again. The next sync spends ${countOf(count, 'credit')} on that.`;
  }
}
