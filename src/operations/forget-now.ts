/** Erases a contact immediately, for the terminal. In other interfaces, the service erases the contact later. */
import { z } from 'zod';
import { HISTORIES } from '../../connectors/index.ts';
import type { Integration } from '../core/integration-settings.ts';
import type { Log } from '../core/log.ts';
import { newId } from '../core/new-id.ts';
import { describeCount, formatTimestamp } from '../core/quantities.ts';
import { askSecondPerson } from '../decisions/second-person/ask.ts';
import type { ErasedCounts } from '../fields/erasing/erasure-note.ts';
import { forgetPerson } from '../privacy/forget/forget.ts';
import type { ErasureReceipt } from '../privacy/forget/receipt.ts';
import { findTargets, forgetDeclared, toAsked } from './forget.ts';
import { findClient } from './kit/clients.ts';
import { acting } from './kit/operation.ts';
import { RequestWaits } from './kit/requests.ts';

/** Returns the operation `forget`, with the receipt as its result. */
export function forgetNow(log: Log) {
  return acting({
    ...forgetDeclared,
    result: z.object({ forget: z.custom<Forgotten>() }),
    async run(world, input) {
      const { application, store, clock, caller } = world;
      const { crmId } = await findTargets(world, input);
      const integration = findClient(world, input.integration);
      const acts = { ...application, store };
      const asked = toAsked(input, crmId);
      const waiting = await askSecondPerson({ application: acts }, caller, asked);
      if (waiting !== null) throw new RequestWaits(waiting);
      const { alsoInCrm, everywhere, blockUnknown } = input;
      const receipt = await forgetPerson(
        { application: acts, clock, log, newId: () => newId(clock.now()) },
        { integration, crmId, alsoInCrm, everywhere, blockUnknown },
      );
      return { forget: describeForgotten({ integration, crmId }, receipt) };
    },
    say: ({ forget }) => describeReceipt(forget),
    ending: ({ forget }) => (forget.receipt.complete ? 'done' : 'stopped'),
  });
}

/** The output of `forget --json`. */
export interface Forgotten {
  integration: string;
  crmId: string;
  /** True if donor-sync stored data about the contact. The contact is blocked anyway. */
  wasKnown: boolean;
  /** The cleared fields. Null if the user did not request clearing the CRM. */
  cleared: string[] | null;
  /** Fields that users have changed. The erasure did not clear fields that users have changed. */
  editedSince: string[];
  /** The names of the networks that contained the person. */
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
      left: toDistinct(integrations.flatMap(({ networks }) => networks.left)),
      pending: toDistinct(integrations.flatMap(({ networks }) => networks.pending)),
    },
    receipt,
  };
}

function toDistinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** Returns the receipt in sentences. */
export function describeReceipt(forgotten: Forgotten): string[] {
  const { networks, cleared, editedSince, receipt } = forgotten;
  const lines: string[] = [];
  lines.push(headline(forgotten));
  lines.push(
    `Receipt ${receipt.id}, ${formatTimestamp(Date.parse(receipt.at))}: ${erasedText(receipt.erased)}`,
  );
  if (receipt.integrations.length > 1) {
    lines.push(`In: ${receipt.integrations.map(({ integration }) => integration).join(', ')}.`);
  }
  if (networks.left.length > 0)
    lines.push(`Removed from the networks: ${networks.left.join(', ')}.`);
  if (cleared !== null) {
    const isNamed = receipt.pending.some(({ what }) => what === 'introductions');
    const isProven = receipt.complete && receipt.crm?.verified === true && !isNamed;
    const proof = isProven ? ' A second read confirmed that no current value is left.' : '';
    lines.push(`Cleared in the CRM: ${cleared.join(', ') || 'nothing'}.${proof}`);
    if (cleared.length > 0) lines.push(HISTORY);
  }
  if (editedSince.length > 0) {
    lines.push(`Not cleared, because someone has changed them: ${editedSince.join(', ')}.`);
  }
  for (const { integration, text } of receipt.pending) lines.push(`${integration}: ${text}`);
  for (const { integration, crmId } of receipt.leftAlone) {
    lines.push(`${integration}: ${crmId} is a different person there and was left alone.`);
  }
  if (receipt.alike.length > 0) {
    const ids = receipt.alike.map(({ integration, crmId }) => `${crmId} (${integration})`);
    lines.push(
      `${describeCount(ids.length, 'contact')} may be the same person under another ID: ${ids.join(', ')}. If so, erase them as well.`,
    );
  }
  if (!receipt.complete) {
    lines.push(
      'The erasure is not complete. Until it is, no sync processes the contact. Repeat the command when the CRM accepts the change.',
    );
  }
  return lines;
}

/** A sentence about the CRMs' own histories. Clearing a field adds an entry to the CRM's history and removes none. */
const HISTORY = `${new Intl.ListFormat('en-GB').format(HISTORIES.map(({ name }) => name))} keep former values in their own history. To remove them, ${HISTORIES.map(({ removal }) => removal).join(', or ')}.`;

function headline({ crmId, wasKnown, receipt }: Forgotten): string {
  if (!receipt.complete) return `${crmId} is blocked, and only partly erased.`;
  if (receipt.erasedEarlier !== null) {
    const when = formatTimestamp(Date.parse(receipt.erasedEarlier));
    return `${crmId} was already erased on ${when}, and no sync processes it again.`;
  }
  return wasKnown
    ? `${crmId} is erased, and no sync processes it again.`
    : `The database contained no data about ${crmId}. It is blocked from now on.`;
}

const COUNTED = [
  ['contacts', 'contact', 'contacts'],
  ['jobs', 'job', 'jobs'],
  ['holds', 'decision', 'decisions'],
  ['writes', 'write', 'writes'],
  ['paths', 'warm path', 'warm paths'],
  ['introductions', 'text that names the person', 'texts that name the person'],
  [
    'texts',
    'kept text about the person in data of other contacts',
    'kept texts about the person in data of other contacts',
  ],
  ['groups', 'group membership', 'group memberships'],
  ['runs', 'mention in runs', 'mentions in runs'],
  ['kept', 'change kept next to the file', 'changes kept next to the file'],
] as const satisfies readonly [keyof ErasedCounts, string, string][];

/** Returns a text such as `erased 1 contact, 2 jobs.` */
function erasedText(erased: ErasedCounts): string {
  const parts = COUNTED.flatMap(([what, one, several]) =>
    erased[what] > 0 ? [describeCount(erased[what], one, several)] : [],
  );
  return parts.length === 0 ? 'nothing was left to be erased.' : `erased ${parts.join(', ')}.`;
}
