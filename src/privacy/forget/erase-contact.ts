/** Erases a contact from each integration in four steps: the block, the CRM, the service, the database. */

import type { RecordLookup } from '../../../connectors/contract.ts';
import type { Application } from '../../application.ts';
import { findContacts } from '../../contacts/contacts.ts';
import { type DonorSyncError, isDonorSyncError, RetriableError } from '../../core/errors.ts';
import { type Lease, LeaseLost } from '../../database/leases.ts';
import { clearMentions } from '../../fields/erasing/clear-mentions.ts';
import {
  clearInCrm,
  type ForgottenContact,
  findParts,
  lookAtLeftovers,
  type SaveNote,
} from '../../fields/erasing/erase.ts';
import type { NamesOfPerson } from '../../fields/erasing/erased-names.ts';
import {
  addCounts,
  type ErasureNote,
  isCleared,
  NOTHING_CLEARED,
  newNote,
  parseNote,
  union,
} from '../../fields/erasing/erasure-note.ts';
import { dropKeptTexts, type FoundMentions, findMentions } from '../../fields/erasing/mentions.ts';
import type { PersonFingerprints } from '../../identity/person-fingerprints.ts';
import { leaveNetworks } from '../../networks/leave-networks.ts';
import {
  dropNetworkMembers,
  findContactsByDonor,
  listNetworkMembers,
} from '../../networks/statements/network-members.ts';
import { listNetworks } from '../../networks/statements/networks.ts';
import { alreadyRunning } from '../../sync/control/with-lease.ts';
import { notePersonOfBlock } from '../statements/blocks.ts';
import { eraseFromJournal } from '../statements/erase-from-journal.ts';
import { dropWaitingErasures } from '../statements/erase-rows.ts';
import type { ForgottenRecord } from '../statements/erasures.ts';
import { beginErasure, eraseFromStore, noteErasureReceipt } from '../statements/erasures.ts';
import { findOurValues } from '../statements/known-contacts.ts';
import { dropLeftValues } from '../statements/left-values.ts';
import type { ErasedIn } from './receipt.ts';
import {
  type ForgetPersonDeps,
  type ForgetRequest,
  type Opened,
  type Target,
  UNKNOWN_HERE,
} from './targets.ts';

/** The facts that are known when the erasure starts. */
export interface Facts {
  /** The integration in the erasure request. */
  main: Target | undefined;
  lookup: RecordLookup | null;
  person: PersonFingerprints | null;
  forms: readonly string[];
  erasures: readonly ForgottenRecord[];
  /** The integrations that contain data about the contact. */
  known: readonly string[];
  isKnown: boolean;
  /** The fingerprints of the donors that belong to this person and to no other contact. */
  donors: ReadonlySet<string>;
  names: NamesOfPerson;
}

/** The state of an integration in which the erasure is finished. */
const AT_REST = {
  erasedEarlier: null,
  mergedInto: null,
  refusals: [],
  isKeptPending: false,
  isSeenEmpty: false,
  isComplete: true,
};

/**
 * First blocks the contact in all integrations, so no run can restore any data. Clears the CRM and the service after
 * the block is on disk. Erases the database last, because only the database shows which CRM values donor-sync wrote.
 */
export async function eraseInEach(
  deps: ForgetPersonDeps,
  request: ForgetRequest,
  targets: readonly Target[],
  facts: Facts,
): Promise<ErasedIn[]> {
  const begun: { target: Target; note: ErasureNote }[] = [];
  for (const target of targets) {
    const note = await begin(deps, request, target, facts).catch((error) => {
      throw error instanceof LeaseLost ? overtaken(target, error) : error;
    });
    begun.push({ target, note });
  }
  const ids = targets.map(({ id }) => id);
  await eraseFromEachJournal(deps, ids, facts, begun);
  if (!facts.isKnown) {
    return begun.map(({ target, note }) => ({ ...AT_REST, integration: target.id, note }));
  }
  const outside: ErasedIn[] = [];
  let failure: DonorSyncError | null = null;
  for (const { target, note } of begun) {
    try {
      outside.push(await eraseOutside(deps, request, target, { ...facts, ids }, note));
    } catch (error) {
      if (!isDonorSyncError(error)) throw error;
      failure ??= error;
    }
  }
  if (failure !== null) throw cutOff(request, failure);
  if (!outside.every(({ isComplete }) => isComplete)) return outside;
  const done: ErasedIn[] = [];
  for (const [at, { target }] of begun.entries()) {
    const erased = outside[at];
    if (erased !== undefined) done.push(await eraseInStore(deps, request, target, facts, erased));
  }
  return done;
}

/**
 * Erases the contact from each spending journal. The contact is already blocked, so no further lines about the contact
 * are added.
 */
async function eraseFromEachJournal(
  { application: { store } }: ForgetPersonDeps,
  integrationIds: readonly string[],
  { forms }: Facts,
  [first]: readonly { note: ErasureNote }[],
): Promise<void> {
  const contacts = forms.map((form) => store.fingerprint('forgotten', form));
  const erase = eraseFromJournal(store.spendingJournal, { integrationIds, contacts });
  const payments = await store.act(erase);
  if (first === undefined || payments === 0) return;
  first.note = { ...first.note, erased: addCounts(first.note.erased, { payments }) };
}

/** Records the start of the erasure, or finds the progress of an earlier erasure. */
async function begin(
  { application: { store }, clock, newId }: ForgetPersonDeps,
  { crmId, everywhere }: ForgetRequest,
  { id, lease }: Target,
  { person, erasures, known, isKnown, donors }: Facts,
): Promise<ErasureNote> {
  const before = erasures.find((row) => row.integrationId === id);
  // An earlier attempt may have finished the erasure in only some of the integrations.
  const isResumed = before?.state === 'begun' || (before && !known.includes(id));
  const resumed = isResumed ? parseNote(before.receipt) : null;
  const begun = resumed ?? newNote(newId(), clock.now());
  const note = { ...begun, wasKnown: begun.wasKnown || known.includes(id) };
  await beginErasure(store, lease, {
    crmId,
    person,
    everywhere,
    donors: [...donors],
    state: isKnown ? 'begun' : 'blocked',
    receipt: JSON.stringify(note),
  });
  return note;
}

/** Erases the data outside the database: in the CRM, in the connector's files and at the service. */
async function eraseOutside(
  { application: { store } }: ForgetPersonDeps,
  { crmId, alsoInCrm }: ForgetRequest,
  target: Target,
  facts: Facts & { ids: readonly string[] },
  begun: ErasureNote,
): Promise<ErasedIn> {
  const { id, lease, open, crm: own } = target;
  const { main, lookup, forms, ids, names: ofPerson } = facts;
  // If the user did not request clearing the CRM, the receipt does not mention the CRM. The receipt does not mention
  // the CRM even if an earlier attempt cleared it.
  let note = alsoInCrm ? begun : { ...begun, crm: null, mentions: NOTHING_LEFT };
  const save: SaveNote = async (changes) => {
    note = { ...note, ...changes };
    const receipt = JSON.stringify(note);
    await store.checkpoint(lease, (trx) => noteErasureReceipt(trx, crmId, receipt));
  };
  let isSeenEmpty = false;
  let mergedInto = lookup?.state === 'removed' ? lookup.mergedInto : null;
  let refusals: readonly string[] = [];
  const isKeptPending = open?.keepsWrites === true && own === null;
  if (own?.connector.erase !== undefined) {
    const kept = await own.connector.erase((each) => forms.includes(each));
    if (kept > 0) await save({ erased: addCounts(note.erased, { kept }) });
  }
  const ours = await findOurValues(store, [id], forms);
  await save({ written: union(note.written, [...ours.keys()]) });
  // An integration that is no longer in the settings may have written to the same CRM account.
  const clients = (open === null ? main : target) ?? UNKNOWN_HERE;
  // Reads the memberships before anything is cleared, while the database still has them.
  const memberships = await findMemberships(store, id, forms);
  const names = memberships.map(({ name }) => name);
  await save({ networks: { ...note.networks, pending: union(note.networks.pending, names) } });
  let inCrm: FoundMentions['inCrm'] = [];
  if (clients.open !== null) {
    const found = await findMentions(clients.open.deps, id, facts);
    // Records the number before clearing. After an interruption, a search would find only the remaining values.
    const texts = Math.max(note.erased.texts, found.texts);
    await save({ erased: { ...note.erased, texts } });
    await dropKeptTexts(clients.open.deps, lease, found);
    inCrm = found.inCrm;
  }
  if (alsoInCrm && clients.crm === null) {
    const mentions = { ...NOTHING_LEFT, contacts: countHolders(inCrm) };
    // The results of an earlier attempt may be outdated.
    await save({ crm: NOTHING_CLEARED, mentions, unreached: clients.unreached });
  }
  if (clients.crm !== null && alsoInCrm) {
    const parts = await findParts(clients.crm, id, ids, forms);
    const contact: ForgottenContact = { crmId, forms, parts };
    const mapped = clients.open?.mappings.map(({ to }) => to) ?? [];
    const fields = { clearing: note.clearing, mapped };
    const cleared = await clearInCrm(clients.crm, ids, contact, fields, save);
    isSeenEmpty = cleared.isSeenEmpty;
    mergedInto = cleared.mergedInto ?? mergedInto;
    refusals = cleared.refusals;
    // Records the number of texts before it clears the first text.
    const introductions = Math.max(
      note.erased.introductions + note.mentions.contacts + note.mentions.unseen,
      countHolders(inCrm),
    );
    await save({
      erased: { ...note.erased, introductions },
      mentions: NOTHING_LEFT,
      unreached: null,
    });
    const mentions = await clearMentions(clients.crm, lease, inCrm, ofPerson, LOOKS_AGAIN);
    const left = mentions.contacts + mentions.unseen;
    const erased = { ...note.erased, introductions: Math.max(0, introductions - left) };
    await save({ erased, mentions });
  }
  const begunToLeave = note.networks.pending;
  const pending = await leaveAll(store, open, lease, forms, begunToLeave);
  const left = begunToLeave.filter((name) => !pending.includes(name));
  await save({ networks: { left: union(note.networks.left, left), pending } });
  const introductionsLeft = alsoInCrm ? 0 : countHolders(inCrm);
  return {
    integration: id,
    note: { ...note, introductionsLeft },
    erasedEarlier: null,
    mergedInto,
    refusals,
    isKeptPending,
    isSeenEmpty,
    isComplete: isCleared(note),
  };
}

/** If a user requests the erasure, it also searches for erased contacts that the CRM did not show before. */
const LOOKS_AGAIN = { looksAgain: true };

const NOTHING_LEFT: ErasureNote['mentions'] = { contacts: 0, hidden: [], edited: 0, unseen: 0 };

function countHolders(mentions: FoundMentions['inCrm']): number {
  return new Set(mentions.map(({ holder }) => holder)).size;
}

/** Erases the contact's data from the database. The same transaction records the receipt. */
async function eraseInStore(
  { application: { store } }: ForgetPersonDeps,
  { crmId }: ForgetRequest,
  { lease }: Target,
  { forms }: Facts,
  erased: ErasedIn,
): Promise<ErasedIn> {
  let { note } = erased;
  await eraseFromStore(store, lease, crmId, {
    forms: forms.slice(1),
    mayBeLeft: !erased.isSeenEmpty,
    buildReceipt({ introductions, ...rows }) {
      // Counts values in the CRM that name the person. If the user did not request clearing the CRM, also counts the
      // paths that are still in the database.
      const { introductionsLeft: named } = erased.note;
      const introductionsLeft = note.crm === null ? Math.max(named, introductions) : named;
      note = { ...erased.note, introductionsLeft, erased: addCounts(erased.note.erased, rows) };
      return JSON.stringify(note);
    },
  });
  return { ...erased, note };
}

/**
 * Returns the stored networks that contain the contact's donor. Returns an empty list if a different contact is the
 * same donor.
 */
async function findMemberships(
  store: Application['store'],
  integrationId: string,
  forms: readonly string[],
): Promise<{ id: string; name: string; donorId: string }[]> {
  const rows = await findContacts(store.reader, integrationId, forms);
  const known = [...rows.values()].flatMap(({ donorId }) => donorId ?? []);
  const contacts = await findContactsByDonor(store.reader, integrationId, known);
  const donors = known.filter((donor) =>
    (contacts.get(donor) ?? []).every((crmId) => forms.includes(crmId)),
  );
  if (donors.length === 0) return [];
  const networks = await listNetworks(store.reader, integrationId);
  const members = await Promise.all(networks.map(({ id }) => listNetworkMembers(store.reader, id)));
  return networks.flatMap(({ id, name }, at) =>
    (members[at] ?? []).flatMap(({ donorId }) =>
      donors.includes(donorId) ? [{ id, name, donorId }] : [],
    ),
  );
}

/**
 * Removes the donor from the service's networks. Resolves with the networks from which the donor still has to be
 * removed. If the integration is no longer in the settings, donor-sync cannot reach its service. A user must then
 * remove the donor there, and donor-sync deletes its own record of the membership.
 */
async function leaveAll(
  store: Application['store'],
  open: Opened | null,
  lease: Lease,
  forms: readonly string[],
  begun: readonly string[],
): Promise<readonly string[]> {
  if (open === null) {
    for (const { id, donorId } of await findMemberships(store, lease.integrationId, forms)) {
      await store.checkpoint(lease, (trx) => dropNetworkMembers(trx, id, [donorId]));
    }
    return begun;
  }
  const pending: string[] = [];
  for (const form of forms) {
    pending.push(...(await leaveNetworks(open.deps, lease, form)).pending);
  }
  return pending;
}

/**
 * Completes the erasure of a person who was erased before. If a user requests it, clears values that may still be in
 * the CRM. The report repeats the results of the earlier erasure.
 */
export async function doneBefore(
  { application: { store }, newId }: ForgetPersonDeps,
  { crmId, alsoInCrm, everywhere }: ForgetRequest,
  targets: readonly Target[],
  blocks: readonly ForgottenRecord[],
  facts: Facts,
): Promise<ErasedIn[]> {
  const { person } = facts;
  const ids = targets.map(({ id }) => id);
  const done: ErasedIn[] = [];
  for (const block of blocks) {
    const { integrationId: integration, forgottenAt, erasedAt } = block;
    await notePersonOfBlock(store, block, { person, everywhere });
    const at = erasedAt ?? forgottenAt;
    let note = parseNote(block.receipt) ?? newNote(newId(), at);
    const target = targets.find(({ id }) => id === integration);
    const { open, crm, unreached } = target ?? UNKNOWN_HERE;
    if (target !== undefined) {
      await store.checkpoint(target.lease, (trx) =>
        dropWaitingErasures(trx, target.id, facts.forms),
      );
    }
    // Clears the contact's own fields first. The report on the contact's fields then includes values that a merge moved
    // into them.
    let refusals: readonly string[] = [];
    if (alsoInCrm && target !== undefined && open !== null && crm !== null) {
      const save: SaveNote = async (changes) => {
        note = { ...note, ...changes };
        const receipt = JSON.stringify(note);
        await store.checkpoint(target.lease, (trx) => noteErasureReceipt(trx, crmId, receipt));
      };
      const before = note.crm?.cleared ?? [];
      const parts = await findParts(crm, integration, ids, facts.forms);
      const contact = { crmId, forms: facts.forms, parts };
      // Fingerprints identify the values that the first erasure left in the CRM. The code below reads the mapped
      // fields, together with fields that are no longer in the database.
      const toClear = { clearing: note.clearing, mapped: [] };
      const cleared = await clearInCrm(crm, ids, contact, toClear, save);
      if (cleared.isSeenEmpty) {
        await store.checkpoint(target.lease, (trx) =>
          dropLeftValues(trx, trx.fingerprint, target.id, facts.forms),
        );
      }
      refusals = cleared.refusals;
      const mapped = open.mappings.map(({ to }) => to);
      const fields = {
        written: union(note.written, cleared.crm.unreadable),
        mapped,
        cleared: union(before, cleared.crm.cleared),
      };
      const leftovers = await lookAtLeftovers(crm, crmId, fields);
      const { stillPresent } = cleared.crm;
      const unrecognized = leftovers.unrecognized.filter((each) => !stillPresent.includes(each));
      note = { ...note, crm: { ...leftovers, stillPresent, unrecognized }, unreached: null };
    }
    if (alsoInCrm && target !== undefined && open !== null && crm !== null) {
      // The block contains the donor. With the donor, donor-sync finds values that name the person in other contacts.
      const { inCrm } = await findMentions(open.deps, integration, facts);
      const mentions = await clearMentions(crm, target.lease, inCrm, facts.names, LOOKS_AGAIN);
      const cleared = Math.max(0, countHolders(inCrm) - mentions.contacts - mentions.unseen);
      note = { ...note, mentions, erased: addCounts(note.erased, { introductions: cleared }) };
    }
    const isUnreached = alsoInCrm && open !== null && crm === null;
    if (isUnreached) note = { ...note, crm: NOTHING_CLEARED, unreached };
    // The earlier attempt has already left this work to the next sync. The receipt does not report the same work again.
    note = { ...note, networks: { ...note.networks, pending: [] }, introductionsLeft: 0 };
    const isComplete = !isUnreached && (note.crm?.stillPresent.length ?? 0) === 0;
    done.push({ ...AT_REST, integration, note, refusals, erasedEarlier: at, isComplete });
  }
  return done;
}

/**
 * Creates the error for an interrupted erasure. The contact is already blocked. Repeating the command completes the
 * erasure.
 */
function cutOff({ crmId }: ForgetRequest, failure: DonorSyncError): RetriableError {
  return new RetriableError(
    `The erasure of ${crmId} is not finished: ${failure.message} Until it is finished, no sync enhances the contact. Repeat the command once the problem is fixed; it continues from there.`,
    { code: 'erasure_cut_off', cause: failure, details: { reason: failure.code } },
  );
}

/** Creates the error for a process that lost its lease because it paused for too long. The block was not saved yet. */
function overtaken({ id }: Target, cause: LeaseLost): RetriableError {
  return alreadyRunning(id, undefined, cause);
}
