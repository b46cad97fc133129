/**
 * Permanently erases a person from every integration of a CRM account, and creates proof of the erasure. The block is
 * saved before anything is erased. If the process is killed, repeating the request continues the erasure.
 */

import type { RecordLookup } from '../../../connectors/contract.ts';
import { findConnectorDefinition } from '../../../connectors/index.ts';
import { listIntegrationsOfSameAccount } from '../../clients/statements/integrations.ts';
import { listContactIds } from '../../contacts/contacts.ts';
import { ConfigurationError, RetriableError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { createNearIds } from '../../core/near-miss.ts';
import { unknownContact as toUnknown } from '../../core/shared-errors.ts';
import { overwriteErased } from '../../database/sqlite/erased-bytes.ts';
import type { NamesOfPerson } from '../../fields/erasing/erased-names.ts';
import type { PersonFingerprints } from '../../identity/person-fingerprints.ts';
import type { Store } from '../../store.ts';
import { dropNamesOfClient } from '../shown-names.ts';
import { dropBlocks } from '../statements/blocks.ts';
import type { ForgottenRecord } from '../statements/erasures.ts';
import { findErasures } from '../statements/erasures.ts';
import { hasTracesOfContact } from '../statements/known-contacts.ts';
import { findDonorFingerprints, parseDonors, parseNames } from '../statements/mentions.ts';
import { doneBefore, eraseInEach, type Facts } from './erase-contact.ts';
import { distinguish, findAlike, findDonors, findNames, findPerson, lookUp } from './person.ts';
import { buildReceipt, type ErasureReceipt } from './receipt.ts';
import {
  type ForgetPersonDeps,
  type ForgetRequest,
  integrationsToForget,
  type Target,
  withTargets,
} from './targets.ts';

/**
 * Erases a person and returns a report. Throws a ConfigurationError and does nothing if no integration contains the ID.
 * Throws AlreadyRunning while one of the integrations is being synced.
 */
export async function forgetPerson(
  deps: ForgetPersonDeps,
  request: ForgetRequest,
): Promise<ErasureReceipt> {
  const ids = await integrationsToForget(deps, request);
  for (const id of ids) dropNamesOfClient(deps.application.store.fingerprint, id);
  return withTargets(deps, request, ids, [], (targets) => forgetIn(deps, request, targets));
}

async function forgetIn(
  deps: ForgetPersonDeps,
  request: ForgetRequest,
  targets: readonly Target[],
): Promise<ErasureReceipt> {
  const { store } = deps.application;
  const { crmId, integration } = request;
  const main = targets.find(({ id }) => id === integration.id);
  const formsOf = (id: string) => [id, ...(main?.open?.deps.otherForms?.(id) ?? [])];
  const account = await listIntegrationsOfSameAccount(store.reader, integration.id);
  const { lookup, isAsked, former } = await lookUp(main, account, formsOf(crmId));
  requireAllowed(request, lookup, isAsked);
  if (lookup?.state === 'removed' && lookup.mergedInto !== null) {
    await request.ofCrm?.foundMerged(lookup.mergedInto);
  }
  // The IDs of the person's former CSV rows. The erasure treats them like other forms of the contact's ID.
  const forms = [crmId, ...former].flatMap(formsOf);
  const person = await findPerson(deps, account, forms, lookup);
  const { mine, leftAlone } = await distinguish(deps, { targets, account, forms, person });
  const ids = mine.map(({ id }) => id);
  const known: string[] = [];
  for (const id of ids)
    if (await hasTracesOfContact(store.reader, id, forms, { asked: false })) known.push(id);
  // Reads the donors before the database deletes them.
  const donors = await findDonors(store, ids, forms);
  const erasures = await findErasures(store, ids, [crmId]);
  const blocks = erasures.filter(isErasure);
  const isKnown = known.length > 0 || blocks.length > 0 || lookup !== null;
  if (!isKnown && !request.blockUnknown) throw await unknownContact(deps, request, ids, isAsked);
  const isDone =
    known.length === 0 && blocks.length > 0 && blocks.every(({ state }) => state !== 'begun');
  // The search also uses the names that the first attempt recorded, because the database contained more data at that
  // time.
  const named = [
    ...(await findDonorFingerprints(store.reader, store.fingerprint, ids, forms)),
    ...erasures.flatMap((row) => parseDonors(row.donors)),
  ];
  const namesBefore = erasures.flatMap((row) => parseNames(row.person));
  const names = await findNames(deps, main, ids, forms, lookup, namesBefore);
  const facts: Facts = {
    main,
    lookup,
    person: withNames(person, names),
    forms,
    erasures,
    known,
    isKnown,
    names,
    donors: new Set(named),
  };
  const erased = isDone
    ? await doneBefore(deps, request, mine, blocks, facts)
    : await eraseInEach(deps, request, mine, facts);
  if (!(await overwriteErased(store.connection))) {
    deps.log.warn({}, FILE_IN_USE);
  }
  const alike = await findAlike(deps, request, { ids, forms, person, donors });
  return buildReceipt({ at: deps.clock.now(), erased, alike, leftAlone });
}

/**
 * Adds names that help to find values in later profiles. If the CRM record is gone, donor-sync no longer knows the
 * contact's name.
 */
function withNames(
  person: PersonFingerprints | null,
  { isEmpty, names }: NamesOfPerson,
): PersonFingerprints | null {
  if (isEmpty) return person;
  return { ...(person ?? { name: '', addresses: [], employers: [] }), names };
}

/**
 * Checks that the erasure may start. Throws an error before anything is erased if the CRM forbids the erasure, or if
 * the CRM no longer shows the request.
 */
function requireAllowed(
  { crmId, ofCrm }: ForgetRequest,
  lookup: RecordLookup | null,
  isAsked: boolean,
): void {
  const marks = lookup?.state === 'found' ? lookup.contact.privacy : undefined;
  if (marks?.isOnHold === true) {
    throw heldForPrivacy(crmId);
  }
  if (ofCrm?.mustStand !== true) return;
  if (!isAsked) {
    throw new RetriableError(
      `donor-sync cannot check with the CRM whether ${crmId} is still to be erased. Nothing was erased.`,
      { code: 'erasure_unconfirmed' },
    );
  }
  const isThere = lookup?.state === 'found';
  if (isThere && marks?.shouldForget !== true && marks?.objectsToProfiling !== true) {
    throw new ConfigurationError(
      `The CRM has withdrawn its request to erase ${crmId}. Nothing was erased.`,
      { code: REQUEST_WITHDRAWN },
    );
  }
}

/** Creates the error for an erasure that the CRM forbids. `whom` completes the phrase "forbids the erasure of". */
export function heldForPrivacy(
  whom: string,
  details: Readonly<Record<string, string>> = {},
): ConfigurationError {
  return new ConfigurationError(
    `A privacy hold in the CRM (HasPrivacyHold) forbids the erasure of ${whom}. Nothing was erased. End the hold in the CRM, and the next sync asks whether to erase.`,
    { code: PRIVACY_HOLD, details },
  );
}

/** Error codes for the reasons why the CRM forbids the erasure of a contact. */
export const PRIVACY_HOLD = 'privacy_hold';
export const REQUEST_WITHDRAWN = 'erasure_request_withdrawn';

const FILE_IN_USE =
  'another process uses the database file, so it could not be rewritten. Bytes of the erased data may remain in it until you repeat forget for the same contact';

/** True if the record is about an erasure. False for a contact that is only suspected to be an erased person. */
function isErasure({ state }: ForgottenRecord): boolean {
  return state !== 'merged';
}

async function unknownContact(
  { application: { store } }: ForgetPersonDeps,
  { integration, crmId }: ForgetRequest,
  ids: readonly string[],
  isCrmAsked: boolean,
): Promise<ConfigurationError> {
  const near = createNearIds(crmId);
  for (const id of ids) for await (const some of listContactIds(store.reader, id)) near.look(some);
  const found = near.best();
  return toUnknown(integration.id, crmId, {
    source: isCrmAsked ? 'both' : 'database alone',
    near: found,
    next: 'To block an unknown ID anyway, add --block-unknown.',
    details: { near: found, isCrmAsked },
  });
}

/** Returns the integrations of the contact's account that block the contact. */
export async function listBlocking(
  store: Pick<Store, 'reader' | 'fingerprint'>,
  integration: Integration,
  crmId: string,
): Promise<string[]> {
  const { ids, forms } = await findBlockable(store, integration, crmId);
  const found = await findErasures(store, ids, forms);
  return [...new Set(found.map(({ integrationId }) => integrationId))];
}

/** Unblocks a contact in every integration of its account. Resolves with the integrations in which it was blocked. */
export async function liftBlock(
  store: Store,
  integration: Integration,
  crmId: string,
): Promise<string[]> {
  const { ids, forms } = await findBlockable(store, integration, crmId);
  return dropBlocks(store, ids, forms);
}

/** Returns the integrations of the contact's account, and the forms of its ID. */
async function findBlockable(
  { reader }: Pick<Store, 'reader'>,
  { id, crm }: Integration,
  crmId: string,
): Promise<{ ids: string[]; forms: string[] }> {
  const ids = await listIntegrationsOfSameAccount(reader, id);
  const { otherForms } = await findConnectorDefinition(crm.kind);
  return { ids, forms: [crmId, ...(otherForms?.(crmId) ?? [])] };
}
