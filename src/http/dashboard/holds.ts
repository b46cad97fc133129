/** What waits for a person, in words, and what the person may decide about it. */
import { isoTime } from '../../core/clock.ts';
import type { Integration } from '../../core/integration.ts';
import type { HoldRow } from '../../store/holds.ts';
import type { NetworkHoldRow } from '../../store/network-holds.ts';
import type { Store } from '../../store/store.ts';
import { HttpError } from '../http-error.ts';
import { recordUrl } from './record-url.ts';

/** What a person may say. */
export const DECISIONS = ['approve', 'reject', 'resubmit'] as const;
export type Decision = (typeof DECISIONS)[number];

/** A hold as the page shows it. There is no name of a contact: none is kept. */
export interface HoldView {
  id: string;
  /** The contact's id in the CRM, or the name of the network. */
  subject: string;
  about: 'contact' | 'network';
  /** The contact's page in the CRM, if it is known. */
  url: string | null;
  integration: { id: string; name: string };
  /** Why it is held; a part of a sentence. */
  why: string;
  /** ISO 8601. */
  since: string;
  choices: Choice[];
}

/** One of the decisions that make sense for a hold. */
export interface Choice {
  decision: Decision;
  label: string;
  /** What happens then, before anybody says it. */
  effect: string;
}

/** The page is for looking; whoever has more than this to decide takes the command line. */
const MAX_SHOWN = 50;

export interface HoldsView {
  total: number;
  /** The oldest, at most 50. */
  shown: HoldView[];
}

/** The part of the store that knows what is held. */
export interface HoldStore {
  holds: Pick<Store['holds'], 'listOpen' | 'find' | 'decide'>;
  networkHolds: Pick<Store['networkHolds'], 'listOpen' | 'find' | 'decide'>;
}

/** The open holds of these integrations, the oldest first; `byIntegration` counts all of them. */
export async function readHolds(
  store: HoldStore,
  integrations: ReadonlyMap<string, Integration>,
): Promise<HoldsView & { byIntegration: ReadonlyMap<string, number> }> {
  const contacts = await store.holds.listOpen();
  const networks = await store.networkHolds.listOpen();
  const views = [
    ...contacts.flatMap((row) => viewOf(row, integrations, (one) => contactHold(row, one))),
    ...networks.flatMap((row) => viewOf(row, integrations, () => networkHold(row))),
  ].sort((a, b) => Date.parse(a.since) - Date.parse(b.since));
  const byIntegration = new Map<string, number>();
  for (const { integration } of views) {
    byIntegration.set(integration.id, (byIntegration.get(integration.id) ?? 0) + 1);
  }
  return { total: views.length, shown: views.slice(0, MAX_SHOWN), byIntegration };
}

/** What the two kinds of holds have in common; nothing for an integration that is gone. */
function viewOf(
  row: HoldRow | NetworkHoldRow,
  integrations: ReadonlyMap<string, Integration>,
  describe: (
    integration: Integration,
  ) => Pick<HoldView, 'subject' | 'about' | 'url' | 'why' | 'choices'>,
): HoldView[] {
  const integration = integrations.get(row.integration_id);
  if (integration === undefined) return [];
  const { id, name = id } = integration;
  return [
    {
      ...{ id: row.id, integration: { id, name }, since: isoTime(row.opened_at) },
      ...describe(integration),
    },
  ];
}

function contactHold(row: HoldRow, integration: Integration) {
  const isLost = row.kind === 'lost_answer';
  return {
    about: 'contact' as const,
    subject: row.crm_id,
    url: recordUrl(integration, row.crm_id),
    why: isLost ? lostText(row.detail) : mismatchText(row.detail),
    choices: isLost ? [REJECT, RESUBMIT] : [APPROVE, REJECT, RESUBMIT],
  };
}

const APPROVE: Choice = {
  decision: 'approve',
  label: 'It is the same person',
  effect: 'The next sync writes the profile into the CRM.',
};
const REJECT: Choice = {
  decision: 'reject',
  label: 'It is somebody else',
  effect: 'The contact is left alone.',
};
const RESUBMIT: Choice = {
  decision: 'resubmit',
  label: 'Ask again',
  effect: 'The next sync asks the service once more, for another credit.',
};

/** The words of the guard are in `name-guard.ts`. */
const MISMATCHES: ReadonlyMap<string | null, string> = new Map([
  ['last_name_differs', 'The profile has another last name.'],
  ['first_name_unrelated', 'The profile has a first name that is no form of the contact’s.'],
  ['profile_name_missing', 'The profile has no name to compare.'],
]);

function mismatchText(detail: string | null): string {
  return MISMATCHES.get(detail) ?? 'The name in the profile is not that of the contact.';
}

function lostText(detail: string | null): string {
  const proof = detail === null ? '' : ` (${detail})`;
  return `The answer to its submission was lost, and its credit may be spent${proof}.`;
}

function networkHold(row: NetworkHoldRow) {
  return { about: 'network' as const, subject: row.name, url: null, ...networkQuestion(row) };
}

function networkQuestion({ kind, detail }: NetworkHoldRow): Pick<HoldView, 'why' | 'choices'> {
  switch (kind) {
    case 'group_shrunk':
      return {
        why: `${detail ?? 'Many'} members would leave the network: more than half.`,
        choices: [
          choice('approve', 'Let them go', 'The next sync removes them from the network.'),
          choice('reject', 'Keep them', 'The network stays as it is until the group changes.'),
        ],
      };
    case 'network_deleted':
      return {
        why: 'The service does not have the network any more.',
        choices: [
          choice('approve', 'Make it anew', `That takes ${detail ?? 'some'} credits.`),
          choice('reject', 'Leave it', 'The network is not mirrored any more.'),
        ],
      };
    case 'group_unreadable':
      return {
        why: `The group cannot be read to its end (${detail ?? 'unknown'}). Mend it in the CRM, or name another one in the settings.`,
        choices: [HIDE],
      };
    case 'name_taken':
      return {
        why: 'Another network of the service has this name. Rename one of them.',
        choices: [HIDE],
      };
  }
}

const HIDE = choice('reject', 'Hide it', 'Nothing changes; it goes by itself once it is mended.');

function choice(decision: Decision, label: string, effect: string): Choice {
  return { decision, label, effect };
}

/**
 * Notes a decision; false if somebody decided meanwhile. Throws an HttpError: 404 if there is no
 * such hold, 409 if the decision makes no sense for it.
 */
export async function decideHold(
  store: HoldStore,
  integrations: ReadonlyMap<string, Integration>,
  id: string,
  decision: Decision,
): Promise<boolean> {
  const contact = await store.holds.find(id);
  if (contact) {
    const [view] = viewOf(contact, integrations, (one) => contactHold(contact, one));
    requireChoice(view, decision);
    return store.holds.decide(contact, DECIDED[decision]);
  }
  const network = await store.networkHolds.find(id);
  if (!network) throw new HttpError(404, 'hold_unknown', `There is no hold "${id}".`);
  const [view] = viewOf(network, integrations, () => networkHold(network));
  requireChoice(view, decision);
  return store.networkHolds.decide(network, decision === 'approve' ? 'approved' : 'rejected');
}

const DECIDED = { approve: 'approved', reject: 'rejected', resubmit: 'resubmitted' } as const;

function requireChoice(hold: HoldView | undefined, decision: Decision): void {
  if (hold?.choices.some((one) => one.decision === decision)) return;
  throw new HttpError(409, 'hold_not_decidable', 'This hold cannot be decided like that.');
}
