/** Searches contacts by name in the CRM, because donor-sync stores no names. The search text is not stored. */
import { findConnectorDefinition } from '../../../connectors/index.ts';
import type { Contact } from '../../core/contact.ts';
import { isConfigurationError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { contactName } from '../../decisions/contact-name.ts';
import { fingerprintContacts, isBlocking, listBlocks } from '../../privacy/statements/blocks.ts';
import type { SyncDeps } from '../../sync/control/context.ts';
import { openCrm } from '../../sync/control/crm-account.ts';
import { lookUp } from '../../sync/control/look-up.ts';
import { isOutsideFilter } from '../../sync/redelivery/show-kept.ts';
import type { ActingWorld } from '../kit/operation.ts';
import { inSearchTurn } from './search-turns.ts';

/** The maximum number of results. If more contacts match, the user has to refine the search. */
export const MAX_FOUND = 20;

/** The minimum length of a search text. A shorter text matches too many names. */
export const SHORTEST_NAME = 3;

export interface FoundContacts {
  /** `detail` tells contacts with the same name apart. Null if no other contact found has this name. */
  contacts: { crmId: string; name: string; detail: string | null }[];
  /** True if there may be more contacts. */
  isMore: boolean;
  /** The reason why names could not be searched, or null if they were searched. */
  problem: string | null;
}

/** Searches contacts. A contact with a matching ID comes first. */
export async function searchContacts(
  world: ActingWorld,
  client: Integration,
  text: string,
): Promise<FoundContacts> {
  const { application, signal } = world;
  return inSearchTurn(world, client.id, async () => {
    const open = await application.open(client, signal);
    try {
      return await searchIn(await openCrm(open.deps, null), world, client, text);
    } finally {
      await open.close();
    }
  });
}

async function searchIn(
  deps: SyncDeps,
  world: ActingWorld,
  client: Integration,
  text: string,
): Promise<FoundContacts> {
  const { connector } = deps;
  const problem = findProblem(connector, text);
  const named = problem === null ? ((await connector.search?.(text, MAX_FOUND)) ?? []) : [];
  const exact = await findId(world, client, text);
  const ids = await withoutErased(world, client, [...new Set([...exact, ...named])]);
  const lookups = await lookUp(connector, ids);
  const found: { crmId: string; name: string; contact: Contact }[] = [];
  for (const lookup of lookups) {
    const name = contactName(lookup);
    if (name === null) continue;
    // The CRM applies the filter to a search, but not to a lookup by ID.
    const isTyped = !named.includes(lookup.id);
    if (isTyped && (await isOutsideFilter(deps, client, lookup.id))) continue;
    if (lookup.state === 'found') found.push({ crmId: lookup.id, name, contact: lookup.contact });
  }
  const contacts = withDetails(found);
  return { contacts, isMore: named.length === MAX_FOUND, problem };
}

/** Contacts with the same name get their employer, or the address without an employer. Others get no detail. */
function withDetails(
  found: readonly { crmId: string; name: string; contact: Contact }[],
): FoundContacts['contacts'] {
  const count = Map.groupBy(found, ({ name }) => name.toLowerCase());
  return found.map(({ crmId, name, contact: { employers, addresses } }) => {
    const isOnly = count.get(name.toLowerCase())?.length === 1;
    return { crmId, name, detail: isOnly ? null : (employers[0] ?? addresses[0] ?? null) };
  });
}

function findProblem({ search }: Pick<SyncDeps['connector'], 'search'>, text: string) {
  if (search === undefined) {
    return 'You cannot search this kind of CRM by name. Enter the exact ID of the contact.';
  }
  if (text.length < SHORTEST_NAME) {
    return `Names were not searched, because the text has fewer than ${SHORTEST_NAME} characters. Only the ID was looked up.`;
  }
  return null;
}

/** Returns the canonical ID, or an empty list if the text cannot be an ID. */
async function findId(world: ActingWorld, client: Integration, text: string): Promise<string[]> {
  try {
    return [await world.application.contactId(client, text)];
  } catch (error) {
    if (isConfigurationError(error)) return [];
    throw error;
  }
}

/** Leaves out contacts that were erased in this CRM account. */
export async function withoutErased(
  { reader, fingerprint }: Pick<ActingWorld, 'reader' | 'fingerprint'>,
  { id, crm }: Integration,
  crmIds: readonly string[],
): Promise<string[]> {
  const { otherForms } = await findConnectorDefinition(crm.kind);
  const blocks = await listBlocks(reader, id, null);
  const erased = new Set(blocks.filter(isBlocking).map((block) => block.fingerprint));
  return crmIds.filter((crmId) => {
    const forms = [crmId, ...(otherForms?.(crmId) ?? [])];
    return !fingerprintContacts(fingerprint, forms).some((one) => erased.has(one));
  });
}
