/** What waits for a person as the pages show it, with what may be said about it. */
import { isoTime } from '../../core/clock.ts';
import type { Integration } from '../../core/integration.ts';
import { partCountsText } from '../../identity/changed-parts-text.ts';
import type { HoldBatch } from '../../store/holds/hold-batches.ts';
import type { NetworkHoldRecord } from '../../store/networks/network-holds.ts';
import type { Store } from '../../store/store.ts';
import {
  type AnyHold,
  creditsOf,
  type DecisionWord,
  decisionsFor,
  listSingleHolds,
  reasonText,
  type SingleHoldStore,
} from '../../views/hold.ts';

/** A hold as the page shows it. There is no name of a contact: none is kept. */
export interface HoldView {
  id: string;
  /** The contact's id in the CRM, or the name of the network. */
  subject: string;
  about: 'contact' | 'network';
  /** The contact's page in the CRM, if it is known. */
  url: string | null;
  integration: { id: string; name: string };
  /** Why it is held; a whole sentence. */
  why: string;
  /** ISO 8601. */
  since: string;
  choices: Choice[];
}

/** One of the decisions that make sense for a hold. */
export interface Choice {
  decision: DecisionWord;
  label: string;
  /** What happens then, before anybody says it. */
  effect: string;
}

/** Contacts that are decided together, as the page shows them: one line, whatever their number. */
export interface BatchView {
  id: string;
  integration: { id: string; name: string };
  count: number;
  /** What changed, as `400 addresses, 12 employers`. */
  changed: string;
  /** What it costs at most to approve it. */
  credits: number;
  /** ISO 8601. */
  since: string;
}

/** The page shows no more than this; for more decisions there is the command line. */
const MAX_SHOWN = 50;

export interface HoldsView {
  /** Decisions to make: a batch is one. */
  total: number;
  batches: BatchView[];
  /** Of those that stand alone the oldest, at most 50. */
  shown: HoldView[];
}

/** The part of the store that the page reads. */
export interface PageHoldStore extends SingleHoldStore {
  holds: SingleHoldStore['holds'] & Pick<Store['holds'], 'listBatches'>;
}

/** The open holds of these integrations, the oldest first; `byIntegration` counts all decisions. */
export async function readHolds(
  store: PageHoldStore,
  integrations: ReadonlyMap<string, Integration>,
): Promise<HoldsView & { byIntegration: ReadonlyMap<string, number> }> {
  const batches = (await store.holds.listBatches()).flatMap((batch) => {
    const integration = integrations.get(batch.integrationId);
    return integration === undefined ? [] : [batchView(batch, integration)];
  });
  const open = await listSingleHolds(store);
  const views = open.flatMap((hold) => {
    const integration = integrations.get(hold.row.integrationId);
    return integration === undefined ? [] : [viewOf(hold, integration)];
  });
  const byIntegration = new Map<string, number>();
  for (const { integration } of [...batches, ...views]) {
    byIntegration.set(integration.id, (byIntegration.get(integration.id) ?? 0) + 1);
  }
  const total = batches.length + views.length;
  return { total, batches, shown: views.slice(0, MAX_SHOWN), byIntegration };
}

/** A batch as pages show it. */
export function batchView(batch: HoldBatch, integration: Integration): BatchView {
  const { id, name = id } = integration;
  return {
    id: batch.id,
    integration: { id, name },
    count: batch.count,
    changed: partCountsText(batch.parts),
    credits: creditsOf(batch),
    since: isoTime(batch.since),
  };
}

function viewOf(hold: AnyHold, integration: Integration): HoldView {
  const { id, name = id } = integration;
  const reason = reasonText(hold);
  return {
    id: hold.row.id,
    about: hold.about,
    integration: { id, name },
    ...(hold.about === 'contact'
      ? { subject: hold.row.crmId, url: recordUrl(integration, hold.row.crmId) }
      : { subject: hold.row.name, url: null }),
    why: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    since: isoTime(hold.row.openedAt),
    choices: decisionsFor(hold).map((decision) => ({ decision, ...labelOf(hold, decision) })),
  };
}

type Label = Pick<Choice, 'label' | 'effect'>;

function labelOf(hold: AnyHold, decision: DecisionWord): Label {
  if (hold.about === 'contact') {
    return (LABELS_BY_KIND.get(hold.row.kind) ?? CONTACT_LABELS)[decision];
  }
  return decision === 'approve' ? approvalOf(hold.row) : rejectionOf(hold.row);
}

const CONTACT_LABELS: Readonly<Record<DecisionWord, Label>> = {
  approve: {
    label: 'It is the same person',
    effect: 'The next sync writes the profile into the CRM.',
  },
  reject: { label: 'It is another person', effect: 'The contact is left alone.' },
  resubmit: {
    label: 'Ask again',
    effect: 'The next sync asks the service once more, for another credit.',
  },
};

const DECEASED_LABELS: Readonly<Record<DecisionWord, Label>> = {
  approve: {
    label: 'Write it all the same',
    effect: 'The next sync writes the profile into the CRM.',
  },
  reject: { label: 'Leave it alone', effect: 'Nothing is written into the contact.' },
  resubmit: CONTACT_LABELS.resubmit,
};

const CHANGE_LABELS: Readonly<Record<DecisionWord, Label>> = {
  ...CONTACT_LABELS,
  approve: {
    label: 'Ask again',
    effect: 'The next sync asks the service about the new details, for a credit.',
  },
  reject: {
    label: 'It is the same person',
    effect: 'The new details are taken over. No credit is spent.',
  },
};

const ERASED_LABELS: Readonly<Record<DecisionWord, Label>> = {
  ...CONTACT_LABELS,
  approve: {
    label: 'It is another person',
    effect: 'The next sync goes on with the contact, and does not ask again.',
  },
  reject: {
    label: 'It is the erased person',
    effect: 'This id is blocked too. What an earlier sync has written is erased with "forget".',
  },
};

const LABELS_BY_KIND: ReadonlyMap<string, Readonly<Record<DecisionWord, Label>>> = new Map([
  ['identity_mass_change', CHANGE_LABELS],
  ['profile_deceased', DECEASED_LABELS],
  ['forgotten_person', ERASED_LABELS],
]);

function approvalOf({ kind, detail }: NetworkHoldRecord): Label {
  return kind === 'group_shrunk'
    ? { label: 'Let them go', effect: 'The next sync removes them from the network.' }
    : { label: 'Make it anew', effect: `That takes ${detail ?? 'some'} credits.` };
}

function rejectionOf({ kind }: NetworkHoldRecord): Label {
  switch (kind) {
    case 'group_shrunk':
      return { label: 'Keep them', effect: 'The network stays as it is until the group changes.' };
    case 'network_deleted':
      return { label: 'Leave it', effect: 'The network is not mirrored any more.' };
    case 'group_unreadable':
      return hide('Correct the group in the CRM, or name another one in the settings');
    case 'name_taken':
      return hide('Rename one of the two networks');
    case 'network_refused':
      return hide('Correct in the settings what is refused');
  }
}

/** What cannot be approved has to be fixed elsewhere. */
function hide(fix: string): Label {
  return { label: 'Hide it', effect: `${fix}: then the hold goes by itself.` };
}

/**
 * The page of a contact in its CRM; null where the settings do not tell where that is. A My Domain
 * of Salesforce shows the record of any id. HubSpot's pages need the number of the account, which
 * is kept nowhere, and a file has no pages.
 */
export function recordUrl({ crm }: Pick<Integration, 'crm'>, contactId: string): string | null {
  const { kind, url } = crm;
  if (kind !== 'salesforce' || typeof url !== 'string' || !URL.canParse(url)) return null;
  const { protocol, hostname, origin } = new URL(url);
  if (protocol !== 'https:' || !hostname.endsWith('.my.salesforce.com')) return null;
  return `${origin}/${encodeURIComponent(contactId)}`;
}
