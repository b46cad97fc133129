import type { ErasureReceipt } from '../../../application/forget-receipt.ts';
import type { Integration } from '../../../core/integration.ts';
import type { ErasedCounts } from '../../../fields/erasure-note.ts';
import type { Output } from '../../terminal/output.ts';
import { countOf, formatMoment } from '../../terminal/quantities.ts';

/** What `forget --json` shows. */
export interface Forgotten {
  integration: string;
  crmId: string;
  /** False if the store knew nothing of them; they are kept away from now on all the same. */
  wasKnown: boolean;
  /** Fields that were cleared in the CRM; null if that was not asked for. */
  cleared: string[] | null;
  /** Fields that hold something else than what we wrote, and were left alone. */
  editedSince: string[];
  /** The networks that the person was in, by name. */
  networks: { left: string[]; pending: string[] };
  receipt: ErasureReceipt;
}

export function describeForgotten(
  { integration, crmId }: { integration: Integration; crmId: string },
  receipt: ErasureReceipt,
): Forgotten {
  const { integrations, crm } = receipt;
  return {
    integration: integration.id,
    crmId,
    wasKnown: integrations.some(({ wasKnown }) => wasKnown),
    cleared: crm?.cleared ?? null,
    editedSince: crm?.editedSince ?? [],
    networks: {
      left: namesOf(integrations.flatMap(({ networks }) => networks.left)),
      pending: namesOf(integrations.flatMap(({ networks }) => networks.pending)),
    },
    receipt,
  };
}

function namesOf(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** The receipt, for a person. */
export function printForgotten(output: Output, forgotten: Forgotten): void {
  const { networks, cleared, editedSince, receipt } = forgotten;
  output.print(headline(forgotten));
  output.print(
    `Receipt ${receipt.id}, ${formatMoment(Date.parse(receipt.at))}: ${erasedText(receipt.erased)}`,
  );
  if (receipt.integrations.length > 1) {
    output.print(`In: ${receipt.integrations.map(({ integration }) => integration).join(', ')}.`);
  }
  if (networks.left.length > 0) output.print(`Left the networks: ${networks.left.join(', ')}.`);
  if (cleared !== null) {
    const proof = receipt.crm?.verified === true ? ' Read again: none of it is left.' : '';
    output.print(`Cleared in the CRM: ${cleared.join(', ') || 'nothing'}.${proof}`);
  }
  if (editedSince.length > 0) {
    output.print(`Left alone, because a person changed them: ${editedSince.join(', ')}.`);
  }
  for (const { integration, text } of receipt.pending) output.print(`${integration}: ${text}`);
  for (const { integration, crmId } of receipt.leftAlone) {
    output.print(`${integration}: ${crmId} is another person there, and was left alone.`);
  }
  if (receipt.alike.length > 0) {
    const ids = receipt.alike.map(({ integration, crmId }) => `${crmId} (${integration})`);
    output.print(
      `${countOf(ids.length, 'contact')} may be the same person under another id: ${ids.join(', ')}. Forget them as well if so.`,
    );
  }
  if (!receipt.complete) {
    output.print(
      'The erasure is not at its end: no sync takes the contact up meanwhile. Repeat the command once the CRM takes it.',
    );
  }
}

function headline({ crmId, wasKnown, receipt }: Forgotten): string {
  if (!receipt.complete) return `${crmId} is blocked, and erased in part.`;
  if (receipt.erasedEarlier !== null) {
    const when = formatMoment(Date.parse(receipt.erasedEarlier));
    return `${crmId} was erased on ${when} already, and is not taken up again.`;
  }
  return wasKnown
    ? `${crmId} is erased and is not taken up again.`
    : `The database knew nothing of ${crmId}; it is kept away from now on.`;
}

const COUNTED = [
  ['contacts', 'contact', 'contacts'],
  ['jobs', 'job', 'jobs'],
  ['holds', 'hold', 'holds'],
  ['writes', 'write', 'writes'],
  ['paths', 'warm path', 'warm paths'],
  ['introductions', 'text that names the person', 'texts that name the person'],
  ['groups', 'membership of a group', 'memberships of groups'],
  ['runs', 'mention in runs', 'mentions in runs'],
  ['kept', 'change kept beside the file', 'changes kept beside the file'],
] as const satisfies readonly [keyof ErasedCounts, string, string][];

/** `erased 1 contact, 2 jobs.` */
function erasedText(erased: ErasedCounts): string {
  const parts = COUNTED.flatMap(([what, one, several]) =>
    erased[what] > 0 ? [countOf(erased[what], one, several)] : [],
  );
  return parts.length === 0 ? 'nothing was left to be erased.' : `erased ${parts.join(', ')}.`;
}
