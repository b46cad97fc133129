/**
 * Erasing a person: from every integration of the CRM account, provably and for good. The block is on
 * disk before anything is erased; a person's id may be repeated after a kill, and the rest is done.
 */
import type { RecordLookup } from '../../connectors/contract.ts';
import { findConnectorDefinition } from '../../connectors/index.ts';
import type { Application, OpenIntegration } from '../application.ts';
import type { Clock } from '../core/clock.ts';
import {
  ConfigurationError,
  type DonorSyncError,
  isDonorSyncError,
  messageOf,
  RetriableError,
} from '../core/errors.ts';
import type { Integration } from '../core/integration.ts';
import type { Log } from '../core/log.ts';
import { createNearIds } from '../core/near-miss.ts';
import {
  clearInCrm,
  clearIntroductions,
  dropIntroductionsKept,
  type ForgottenContact,
  lookAtLeftovers,
  type SaveNote,
} from '../fields/erase.ts';
import { addCounts, type ErasureNote, newNote, parseNote, union } from '../fields/erasure-note.ts';
import {
  joinedFingerprints,
  mayBeSamePerson,
  type PersonFingerprints,
  personFingerprintsOf,
  storedPersonFingerprints,
} from '../identity/person-fingerprints.ts';
import { leaveNetworks } from '../networks/leave-networks.ts';
import type { SyncDeps } from '../run/context.ts';
import { openCrm } from '../run/crm-account.ts';
import type { Lease } from '../store/engine/leases.ts';
import type { ForgottenRecord, KnownContact } from '../store/erasure/forget.ts';
import { withLease } from '../sync/with-lease.ts';
import { type ErasedIn, type ErasureReceipt, receiptOf } from './forget-receipt.ts';

/** What a person asks for. */
export interface ForgetRequest {
  integration: Integration;
  /** The canonical form of the contact's id. */
  crmId: string;
  /** True to clear what we wrote into the CRM, too. */
  alsoInCrm: boolean;
  /** True for the integrations of other accounts as well. */
  everywhere: boolean;
  /** True to block an id that neither the store nor the CRM knows. */
  blockUnknown: boolean;
}

export interface ForgetPersonDeps {
  application: Pick<Application, 'store' | 'integrations' | 'takeLease'> & {
    open(integration: Integration, signal: AbortSignal): Promise<Opened>;
  };
  clock: Clock;
  log: Log;
  newId: () => string;
}

/** The part of an integration's clients that an erasure works with. */
type Opened = Pick<OpenIntegration, 'integration' | 'mappings' | 'deps' | 'keepsWrites' | 'close'>;

/** Without `alsoInCrm` the CRM is asked who the person is, and may be out of reach for good. */
const CRM_PATIENCE_MS = 15_000;

/**
 * The integrations that an erasure is about: those of the same account, also ones that the settings
 * do not have any more; with `everywhere`, those of the same kind that know the id.
 */
export async function integrationsToForget(
  { application: { store, integrations } }: Pick<ForgetPersonDeps, 'application'>,
  { integration, crmId, everywhere }: Pick<ForgetRequest, 'integration' | 'crmId' | 'everywhere'>,
): Promise<string[]> {
  const ids = await store.integrations.listOfSameAccount(integration.id);
  if (!everywhere) return ids;
  for (const other of integrations.values()) {
    if (other.crm.kind !== integration.crm.kind || ids.includes(other.id)) continue;
    if (await store.forget.hasTraces(other.id, [crmId])) ids.push(other.id);
  }
  return ids;
}

/**
 * Erases a person and says what was done. Throws a ConfigurationError, with nothing done, for an id
 * that is known nowhere, and AlreadyRunning while one of the integrations is being synced.
 */
export async function forgetPerson(
  deps: ForgetPersonDeps,
  request: ForgetRequest,
): Promise<ErasureReceipt> {
  const ids = await integrationsToForget(deps, request);
  return withTargets(deps, request, ids, [], (targets) => forgetIn(deps, request, targets));
}

/** One of the integrations, for as long as the erasure takes. */
interface Target {
  id: string;
  lease: Lease;
  /** Null if the settings do not have it any more. */
  open: Opened | null;
  /** The same with its CRM; null if that could not be opened. */
  crm: SyncDeps | null;
}

/** What there is of an integration that the settings do not have. */
const UNKNOWN_HERE: Pick<Target, 'open' | 'crm'> = { open: null, crm: null };

/** Takes the lease of each integration and signs in; nothing is done if one of them is taken. */
function withTargets<Result>(
  deps: ForgetPersonDeps,
  request: ForgetRequest,
  [id, ...others]: readonly string[],
  taken: readonly Target[],
  work: (targets: readonly Target[]) => Promise<Result>,
): Promise<Result> {
  if (id === undefined) return work(taken);
  const { application, clock } = deps;
  const { store, takeLease, integrations } = application;
  return withLease({ store, clock, takeLease }, id, async (lease) => {
    const integration = integrations.get(id);
    if (integration === undefined) {
      const target = { id, lease, open: null, crm: null };
      return withTargets(deps, request, others, [...taken, target], work);
    }
    const patience = AbortSignal.timeout(CRM_PATIENCE_MS);
    const signal = request.alsoInCrm ? new AbortController().signal : patience;
    const open = await application.open(integration, signal);
    try {
      const crm = await openUnlessAway(open, lease, request.alsoInCrm);
      return await withTargets(deps, request, others, [...taken, { id, lease, open, crm }], work);
    } finally {
      await open.close();
    }
  });
}

/** Only who is to be cleared in the CRM needs it; otherwise it just says who the person is. */
async function openUnlessAway(
  { deps, integration }: Opened,
  lease: Lease,
  isNeeded: boolean,
): Promise<SyncDeps | null> {
  try {
    return await openCrm(deps, isNeeded ? lease : null);
  } catch (error) {
    if (isNeeded || !isDonorSyncError(error)) throw error;
    deps.log.warn({ integration: integration.id, error: messageOf(error) }, 'the CRM is not asked');
    return null;
  }
}

async function forgetIn(
  deps: ForgetPersonDeps,
  request: ForgetRequest,
  targets: readonly Target[],
): Promise<ErasureReceipt> {
  const { store } = deps.application;
  const { crmId, integration } = request;
  const main = targets.find(({ id }) => id === integration.id);
  const forms = [crmId, ...(main?.open?.deps.otherForms?.(crmId) ?? [])];
  const { lookup, isAsked } = await lookUp(main, crmId);
  const account = await store.integrations.listOfSameAccount(integration.id);
  const person = await findPerson(deps, account, forms, lookup);
  const { mine, leftAlone } = await tellApart(deps, { targets, account, forms, person });
  const ids = mine.map(({ id }) => id);
  const known: string[] = [];
  for (const id of ids) if (await store.forget.hasTraces(id, forms)) known.push(id);
  // Before the store forgets which donor the contact is.
  const donors = await donorsOf(store, ids, forms);
  const erasures = await store.forget.findErasures(ids, [crmId]);
  const blocks = erasures.filter(isErasure);
  // Older versions blocked the form that was typed; that is made good now.
  const isBlocked = (await store.forget.findErasures(ids, forms)).some(isErasure);
  const isKnown = known.length > 0 || isBlocked || lookup !== null;
  if (!isKnown && !request.blockUnknown) throw await unknownContact(deps, request, ids, isAsked);
  const isDone =
    known.length === 0 && blocks.length > 0 && blocks.every(({ state }) => state !== 'begun');
  const facts: Facts = { main, lookup, person, forms, erasures, known, isKnown };
  const erased = isDone
    ? await doneBefore(deps, request, mine, blocks, facts)
    : await eraseInEach(deps, request, mine, facts);
  if (!(await store.forget.overwriteErased())) {
    deps.log.warn({}, FILE_IN_USE);
  }
  const alike = await findAlike(deps, request, { ids, forms, person, donors });
  return receiptOf({ at: deps.clock.now(), erased, alike, leftAlone });
}

const FILE_IN_USE =
  'the database file is in use by another process and could not be rewritten: bytes of what was erased may stand in it until forget is repeated for the same contact';

/** False for a contact that is only suspected. */
function isErasure({ state }: ForgottenRecord): boolean {
  return state !== 'merged';
}

/** What the CRM says of an id. */
interface CrmAnswer {
  /** The record: there, or merged into another one; null for any other. */
  lookup: RecordLookup | null;
  /** False if the CRM could not be asked. */
  isAsked: boolean;
}

async function lookUp(main: Target | undefined, crmId: string): Promise<CrmAnswer> {
  if (!main?.crm) return { lookup: null, isAsked: false };
  try {
    const [lookup] = await main.crm.connector.readByIds([crmId], []);
    const isThere = lookup?.state === 'found' || (lookup && lookup.mergedInto !== null);
    return { lookup: isThere ? lookup : null, isAsked: true };
  } catch (error) {
    if (!isDonorSyncError(error)) throw error;
    return { lookup: null, isAsked: false };
  }
}

/** By what the person is recognised later: as the CRM has them, and as the store remembers them. */
async function findPerson(
  { application: { store } }: ForgetPersonDeps,
  account: readonly string[],
  forms: readonly string[],
  lookup: RecordLookup | null,
): Promise<PersonFingerprints | null> {
  let person =
    lookup?.state === 'found' ? personFingerprintsOf(store.fingerprint, lookup.contact) : null;
  for (const id of account) {
    for (const { identity } of (await store.contacts.find(id, forms)).values()) {
      person = joinedFingerprints(person, storedPersonFingerprints(store.fingerprint, identity));
    }
  }
  return person;
}

/** In another account the same id may be another person, who is left alone. */
async function tellApart(
  { application: { store } }: ForgetPersonDeps,
  {
    targets,
    account,
    forms,
    person,
  }: {
    targets: readonly Target[];
    /** Integrations in which the id means the same contact. */
    account: readonly string[];
    forms: readonly string[];
    person: PersonFingerprints | null;
  },
): Promise<{ mine: Target[]; leftAlone: KnownContact[] }> {
  const mine: Target[] = [];
  const leftAlone: KnownContact[] = [];
  for (const target of targets) {
    const rows = [...(await store.contacts.find(target.id, forms)).values()];
    const others = rows.map(({ identity }) =>
      storedPersonFingerprints(store.fingerprint, identity),
    );
    const isOther =
      !account.includes(target.id) &&
      person !== null &&
      others.some((other) => other !== null && !mayBeSamePerson(person, other));
    if (!isOther) mine.push(target);
    else leftAlone.push(...rows.map((row) => ({ integration: target.id, crmId: row.crmId })));
  }
  return { mine, leftAlone };
}

/** What is known when the erasure begins. */
interface Facts {
  /** The integration that was asked for. */
  main: Target | undefined;
  lookup: RecordLookup | null;
  person: PersonFingerprints | null;
  forms: readonly string[];
  erasures: readonly ForgottenRecord[];
  /** The integrations that have traces of the contact. */
  known: readonly string[];
  isKnown: boolean;
}

/** How it stands in an integration in which there is nothing to be done, or no more. */
const AT_REST = {
  erasedEarlier: null,
  mergedInto: null,
  refusals: [],
  isKeptPending: false,
  isComplete: true,
};

/**
 * The blocks of all first, so that no run in between brings anything back; then the CRM and the
 * service; and the store last: once it has forgotten, nothing tells any more what was ours.
 */
async function eraseInEach(
  deps: ForgetPersonDeps,
  request: ForgetRequest,
  targets: readonly Target[],
  facts: Facts,
): Promise<ErasedIn[]> {
  const begun: { target: Target; note: ErasureNote }[] = [];
  for (const target of targets) {
    begun.push({ target, note: await begin(deps, request, target, facts) });
  }
  if (!facts.isKnown) {
    return begun.map(({ target, note }) => ({ ...AT_REST, integration: target.id, note }));
  }
  const ids = targets.map(({ id }) => id);
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
  for (const erased of outside) done.push(await eraseInStore(deps, request, facts, erased));
  return done;
}

/** Puts the erasure on record, or finds how far an earlier one has come. */
async function begin(
  { application: { store }, clock, newId }: ForgetPersonDeps,
  { crmId, everywhere }: ForgetRequest,
  { id }: Target,
  { person, erasures, known, isKnown }: Facts,
): Promise<ErasureNote> {
  const before = erasures.find((row) => row.integrationId === id);
  // One of several integrations may have come to its end before the others.
  const isResumed = before?.state === 'begun' || (before && !known.includes(id));
  const resumed = isResumed ? parseNote(before.receipt) : null;
  const begun = resumed ?? newNote(newId(), clock.now());
  const note = { ...begun, wasKnown: begun.wasKnown || known.includes(id) };
  await store.forget.begin({
    integrationId: id,
    crmId,
    person,
    everywhere,
    state: isKnown ? 'begun' : 'blocked',
    receipt: JSON.stringify(note),
  });
  return note;
}

/** Erases what stands outside of the store: in the CRM, beside it, and at the service. */
async function eraseOutside(
  { application: { store } }: ForgetPersonDeps,
  { crmId, alsoInCrm }: ForgetRequest,
  { id, lease, open, crm: own }: Target,
  { main, lookup, forms, ids }: Facts & { ids: readonly string[] },
  begun: ErasureNote,
): Promise<ErasedIn> {
  // If that is not asked for, nothing is said of the CRM, although an earlier attempt may have had it.
  let note = alsoInCrm ? begun : { ...begun, crm: null };
  const save: SaveNote = async (changes) => {
    note = { ...note, ...changes };
    await store.forget.noteReceipt(id, crmId, JSON.stringify(note));
  };
  const contact: ForgottenContact = { crmId, forms, isNamedIn: nameFinder(lookup) };
  let mergedInto = lookup?.state === 'removed' ? lookup.mergedInto : null;
  let refusals: readonly string[] = [];
  const isKeptPending = open?.keepsWrites === true && own === null;
  if (own?.connector.erase !== undefined) {
    const kept = await own.connector.erase((each) => forms.includes(each));
    if (kept > 0) await save({ erased: addCounts(note.erased, { kept }) });
  }
  // What an integration has written that the settings do not have any more is in the same account.
  const clients = (open === null ? main : { open, crm: own }) ?? UNKNOWN_HERE;
  // Before anything is cleared: as long as it is on record.
  const memberships = await membershipsOf(store, id, forms);
  const names = memberships.map(({ name }) => name);
  await save({ networks: { ...note.networks, pending: union(note.networks.pending, names) } });
  if (clients.open !== null) {
    const { deps, mappings } = clients.open;
    const introduced = await store.warmPaths.listIntroduced(id, forms);
    const isIntroducer = memberships.length > 0 || introduced.length > 0;
    await dropIntroductionsKept(deps, lease, contact, mappings, isIntroducer);
  }
  if (clients.open !== null && clients.crm !== null && alsoInCrm) {
    const {
      crm,
      open: { mappings },
    } = clients;
    const cleared = await clearInCrm(crm, ids, contact, note.crm, save);
    mergedInto = cleared.mergedInto ?? mergedInto;
    refusals = cleared.refusals;
    await clearIntroductions(crm, lease, contact, mappings, note.erased, save);
  }
  const begunToLeave = note.networks.pending;
  const pending = await leaveAll(store, open, lease, forms, begunToLeave);
  const left = begunToLeave.filter((name) => !pending.includes(name));
  await save({ networks: { left: union(note.networks.left, left), pending } });
  const isComplete = note.crm === null || note.crm.stillPresent.length === 0;
  return {
    integration: id,
    note,
    erasedEarlier: null,
    mergedInto,
    refusals,
    isKeptPending,
    isComplete,
  };
}

/** Erases what the store knows; the receipt is on record in the same transaction. */
async function eraseInStore(
  { application: { store } }: ForgetPersonDeps,
  { crmId }: ForgetRequest,
  { forms }: Facts,
  erased: ErasedIn,
): Promise<ErasedIn> {
  let { note } = erased;
  await store.forget.erase(erased.integration, crmId, {
    forms: forms.slice(1),
    receiptOf({ introductions: introductionsLeft, ...rows }) {
      note = { ...erased.note, introductionsLeft, erased: addCounts(erased.note.erased, rows) };
      return JSON.stringify(note);
    },
  });
  return { ...erased, note };
}

/** Tells whether a text has the person's last name in it, as the CRM has that. */
function nameFinder(lookup: RecordLookup | null): (text: string) => boolean {
  const lastName = lookup?.state === 'found' ? lookup.contact.lastName : null;
  const name = lastName?.trim().toLowerCase() ?? '';
  return (text) => name !== '' && text.toLowerCase().includes(name);
}

/** The networks of the mirror that the contact's donor is in, unless another contact is the same donor. */
async function membershipsOf(
  store: Application['store'],
  integrationId: string,
  forms: readonly string[],
): Promise<{ id: string; name: string; donorId: string }[]> {
  const rows = await store.contacts.find(integrationId, forms);
  const known = [...rows.values()].flatMap(({ donorId }) => donorId ?? []);
  const contacts = await store.networks.findContacts(integrationId, known);
  const donors = known.filter((donor) =>
    (contacts.get(donor) ?? []).every((crmId) => forms.includes(crmId)),
  );
  if (donors.length === 0) return [];
  const networks = await store.networks.list(integrationId);
  const members = await Promise.all(networks.map(({ id }) => store.networks.listMembers(id)));
  return networks.flatMap(({ id, name }, at) =>
    (members[at] ?? []).flatMap(({ donorId }) =>
      donors.includes(donorId) ? [{ id, name, donorId }] : [],
    ),
  );
}

/**
 * Leaves the networks at the service; resolves with those of which that is still pending. That of an
 * integration which the settings do not have any more cannot be asked: a person has to remove the donor
 * there, and the mirror forgets it.
 */
async function leaveAll(
  store: Application['store'],
  open: Opened | null,
  lease: Lease,
  forms: readonly string[],
  begun: readonly string[],
): Promise<readonly string[]> {
  if (open === null) {
    for (const { id, donorId } of await membershipsOf(store, lease.integrationId, forms)) {
      await store.networks.dropMembers(lease, id, [donorId]);
    }
    return begun;
  }
  const pending: string[] = [];
  for (const form of forms) {
    pending.push(...(await leaveNetworks(open.deps, lease, form)).pending);
  }
  return pending;
}

/** A person who was erased before: what was done then, and what may be left in the CRM. */
async function doneBefore(
  { application: { store }, newId }: ForgetPersonDeps,
  { crmId, alsoInCrm, everywhere }: ForgetRequest,
  targets: readonly Target[],
  blocks: readonly ForgottenRecord[],
  { person }: Facts,
): Promise<ErasedIn[]> {
  const done: ErasedIn[] = [];
  for (const block of blocks) {
    const { integrationId: integration, forgottenAt, erasedAt } = block;
    await store.forget.notePerson(integration, crmId, { person, everywhere });
    const at = erasedAt ?? forgottenAt;
    let note = parseNote(block.receipt) ?? newNote(newId(), at);
    const { open, crm } = targets.find(({ id }) => id === integration) ?? UNKNOWN_HERE;
    if (alsoInCrm && note.crm === null && open !== null && crm !== null) {
      note = { ...note, crm: await lookAtLeftovers(crm, crmId, open.mappings) };
    }
    // What had been left to the next sync then is of no news now.
    note = { ...note, networks: { ...note.networks, pending: [] }, introductionsLeft: 0 };
    done.push({ ...AT_REST, integration, note, erasedEarlier: at });
  }
  return done;
}

/** The donors that the contact is, by integration. */
async function donorsOf(
  store: Application['store'],
  ids: readonly string[],
  forms: readonly string[],
): Promise<Map<string, string[]>> {
  const donors = new Map<string, string[]>();
  for (const id of ids) {
    const rows = [...(await store.contacts.find(id, forms)).values()];
    donors.set(
      id,
      rows.flatMap(({ donorId }) => donorId ?? []),
    );
  }
  return donors;
}

/** Other contacts that may be the same person: only their ids, for a person to look at. */
async function findAlike(
  { application: { store } }: ForgetPersonDeps,
  { everywhere }: ForgetRequest,
  {
    ids,
    forms,
    person,
    donors,
  }: {
    ids: readonly string[];
    forms: readonly string[];
    person: PersonFingerprints | null;
    donors: ReadonlyMap<string, readonly string[]>;
  },
): Promise<KnownContact[]> {
  const found =
    person === null ? [] : await store.forget.findAlike(person, everywhere ? null : ids);
  for (const [integration, own] of donors) {
    const sameDonor = await store.networks.findContacts(integration, own);
    found.push(...[...sameDonor.values()].flat().map((crmId) => ({ integration, crmId })));
  }
  const others = found.filter(
    ({ integration, crmId }) => !ids.includes(integration) || !forms.includes(crmId),
  );
  return [...new Map(others.map((each) => [`${each.integration}/${each.crmId}`, each])).values()];
}

async function unknownContact(
  { application: { store } }: ForgetPersonDeps,
  { integration, crmId }: ForgetRequest,
  ids: readonly string[],
  isCrmAsked: boolean,
): Promise<ConfigurationError> {
  const near = createNearIds(crmId);
  for (const id of ids) for await (const some of store.contacts.listIds(id)) near.look(some);
  const found = near.best();
  const hint = found.length === 0 ? '' : ` Near it there are: ${found.join(', ')}.`;
  const where = isCrmAsked
    ? `Neither the database nor the CRM of "${integration.id}" knows a contact "${crmId}"`
    : `The database knows no contact "${crmId}" of "${integration.id}", and its CRM could not be asked`;
  return new ConfigurationError(
    `${where}: nothing was done.${hint} To keep an id away that is not known here, add --block-unknown.`,
    {
      code: 'contact_unknown',
      details: { integration: integration.id, contact: crmId, near: found },
    },
  );
}

/** Whatever it was, the contact is blocked by now, and repeating the command does the rest. */
function cutOff({ crmId }: ForgetRequest, failure: DonorSyncError): RetriableError {
  return new RetriableError(
    `The erasure of ${crmId} did not come to its end: ${failure.message} No sync takes the contact up meanwhile. Repeat the command once that is fixed; it goes on from there.`,
    { code: 'erasure_cut_off', cause: failure, details: { reason: failure.code } },
  );
}

/** Lifts the block of a contact in every integration of its account; resolves with those that had one. */
export async function liftBlock(
  { application: { store } }: Pick<ForgetPersonDeps, 'application'>,
  integration: Integration,
  crmId: string,
): Promise<string[]> {
  const ids = await store.integrations.listOfSameAccount(integration.id);
  const definition = await findConnectorDefinition(integration.crm.kind);
  return store.forget.lift(ids, [crmId, ...(definition.otherForms?.(crmId) ?? [])]);
}
