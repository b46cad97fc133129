/**
 * Finds texts about an introducer who is erased. Each write has recorded whom it names, so the search does
 * not depend on the present settings, field map or CRM.
 */

import type { RecordLookup } from '../../../connectors/contract.ts';
import type { OwnedValues } from '../../contacts/owned-values.ts';
import type { FieldValue, FieldValues } from '../../core/crm-field.ts';
import { isFatalError } from '../../core/errors.ts';
import type { Profile } from '../../core/profile.ts';
import { valuesBeforeSealContext } from '../../database/encryption/seal-contexts.ts';
import type { Lease } from '../../database/leases.ts';
import type { WriteState } from '../../database/tables/fields.ts';
import { dropIntroducers } from '../../paths/statements/warm-paths.ts';
import { leftContact } from '../../privacy/statements/left-values.ts';
import {
  type ContactWithWrites,
  disownCleared,
  findContactsWithWrites,
  findErasedNames,
  findMerges,
  type KeptProfileText,
  listContactsWithWrites,
  listErasedDonors,
  listKeptTexts,
  listNamingContacts,
  type NamingWrite,
  recordNaming,
  recordSeenErased,
  recordTextsGone,
  replaceBefore,
  replaceKeptTexts,
  replaceRestored,
} from '../../privacy/statements/mentions.ts';
import { placeWrites } from '../../privacy/statements/recall-writes.ts';
import type { SyncDeps } from '../../sync/control/context.ts';
import type { ErasedTexts } from '../../sync/control/erased-texts.ts';
import { decryptProfile, encryptProfile } from '../kept-profile.ts';
import { openValues, sealValues, valueFingerprint } from '../values.ts';
import { writeChanges } from '../write.ts';
import { type NamesOfPerson, NO_NAMES, namesOfPerson, type PersonName } from './erased-names.ts';

type StoreDeps = Pick<SyncDeps, 'store' | 'sealer'>;
export type MentionDeps = StoreDeps & Pick<SyncDeps, 'connector'>;

/** The person whose mentions are removed. */
export interface Mentioned {
  /** Every form of the contact's ID; its own fields are cleared elsewhere. */
  forms: readonly string[];
  /** Fingerprints of the donors that the person was matched to. */
  donors: ReadonlySet<string>;
  names: NamesOfPerson;
}

/** A contact whose fields name the person, as far as donor-sync knows. */
interface Mention {
  /** The contact that the text was written to. Fingerprints of values are made with its ID. */
  crmId: string;
  /** The contact that now has the text, after merges. */
  holder: string;
  /** Field → fingerprints of the values that name the person. */
  fields: ReadonlyMap<string, ReadonlySet<string>>;
  /** The fields among them with text from a profile that was paid for. */
  paid: ReadonlySet<string>;
  /** The writes that brought these texts. */
  writes: readonly string[];
  /** False if another value of ours has replaced the text in the CRM. */
  isInCrm: boolean;
  /**
   * Set for an erased contact whose fields may contain the text. Its ID is not known, so `crmId` is the
   * fingerprint of the ID. `unseen`: a search did not find the contact, and no run has read it since.
   */
  erased: 'left' | 'unseen' | null;
}

/** The texts to remove from the store. */
interface KeptTexts {
  writes: { id: string; before: string }[];
  profiles: (KeptProfileText & { keyBefore: string })[];
  mentions: Mention[];
  /** Writes whose texts name the person, and that are not yet linked to the person's donor. */
  naming: NamingWrite[];
  /** Number of removed texts. */
  texts: number;
}

/** The mentions that are left in the CRM. */
export interface MentionsLeft {
  /** Contacts that still have such a text: the CRM refused to clear it, or no request was sent. */
  contacts: number;
  /** Fields that can contain such a text and that the integration's user cannot see. */
  hidden: string[];
  /** Contacts in which a user has edited the text, and it still names the person. */
  edited: number;
  /** Contacts that the CRM does not show, although it does not report them as deleted. */
  unseen: number;
}

export interface FoundMentions extends KeptTexts {
  /** Contacts that may have such a text in the CRM. */
  inCrm: readonly Mention[];
}

/** Finds every text that names the person; changes nothing. */
export async function findMentions(
  deps: StoreDeps,
  integrationId: string,
  person: Mentioned,
): Promise<FoundMentions> {
  const { store } = deps;
  return findIn(
    deps,
    integrationId,
    person,
    await findMerges(store.reader, integrationId),
    listContactsWithWrites(store.reader, store.fingerprint, integrationId, person.forms),
  );
}

async function findIn(
  deps: StoreDeps,
  integrationId: string,
  person: Mentioned,
  merges: ReadonlyMap<string, string>,
  pages: AsyncIterable<ContactWithWrites[]> | Iterable<ContactWithWrites[]>,
): Promise<FoundMentions> {
  const found: KeptTexts = { writes: [], profiles: [], mentions: [], naming: [], texts: 0 };
  const { store } = deps;
  const partsByHeir = Map.groupBy(merges.keys(), (part) => merges.get(part) ?? '');
  for await (const page of pages) {
    const partIds = [
      ...new Set(page.flatMap(({ crmId }) => withParts(partsByHeir, crmId).slice(1))),
    ];
    const parts = await findContactsWithWrites(store.reader, integrationId, partIds);
    const byId = new Map([...parts, ...page].map((each) => [each.crmId, each]));
    const ids = page.map(({ crmId }) => crmId);
    const named = new Map(
      [...byId.values()].map((each) => [each.crmId, namingValues(deps, each, person)]),
    );
    for (const crmId of ids) {
      const contact = byId.get(crmId);
      const own = named.get(crmId);
      if (contact === undefined || own === undefined) continue;
      if (own.fields.size > 0) {
        const { byName, ...mention } = own;
        found.mentions.push({ ...mention, crmId, holder: findHeir(merges, crmId) });
        found.naming.push(...byName);
      }
      const family = withParts(partsByHeir, crmId).flatMap((id) => {
        const naming = named.get(id);
        return naming === undefined ? [] : [{ id, fields: naming.fields }];
      });
      addKeptValues(deps, integrationId, contact, family, person, found);
    }
  }
  if (!person.names.isEmpty) {
    for await (const page of listKeptTexts(store.reader, integrationId, person.forms)) {
      for (const kept of page) addProfile(deps, integrationId, kept, person, found);
    }
  }
  return { ...found, inCrm: found.mentions.filter(({ isInCrm }) => isInCrm) };
}

/** The contact and every record that was merged into it, directly or through another record. */
function withParts(partsByHeir: ReadonlyMap<string, readonly string[]>, crmId: string): string[] {
  const all = [crmId];
  for (let at = 0; at < all.length; at += 1) {
    for (const part of partsByHeir.get(all[at] ?? '') ?? [])
      if (!all.includes(part)) all.push(part);
  }
  return all;
}

/** The record that contains the values now. */
function findHeir(merges: ReadonlyMap<string, string>, crmId: string): string {
  return listHeirs(merges, crmId).at(-1) ?? crmId;
}

/**
 * Returns the records that the contact was merged into, one after the other. A circle of merges ends at its
 * start.
 */
function listHeirs(merges: ReadonlyMap<string, string>, crmId: string): string[] {
  const heirs = new Set<string>();
  for (
    let next = merges.get(crmId);
    next !== undefined && next !== crmId;
    next = merges.get(next)
  ) {
    if (heirs.has(next)) break;
    heirs.add(next);
  }
  return [...heirs];
}

/** The values of a contact that name the person. Pure except for fingerprints. */
function namingValues(
  { store }: { store: Pick<SyncDeps['store'], 'fingerprint'> },
  { crmId, owned, mergedInto, writes }: ContactWithWrites,
  { donors, names }: Mentioned,
): Pick<Mention, 'fields' | 'paid' | 'writes' | 'isInCrm' | 'erased'> & { byName: NamingWrite[] } {
  const fields = new Map<string, Set<string>>();
  const paid = new Set<string>();
  const naming: string[] = [];
  const byName: NamingWrite[] = [];
  let isInCrm = false;
  for (const write of writes) {
    const contact = isLeft(write.state) ? crmId : leftContact(store.fingerprint, crmId);
    // A duplicate contact and a namesake keep their own profiles.
    const others = names.except(write.called);
    const texts = Object.keys(write.named).filter((field) =>
      others.areInWritten(contact, write.named[field] ?? ''),
    );
    const isByDonor = donors.has(write.introducer);
    if (!isByDonor && texts.length === 0) continue;
    const told = Object.entries(write.after).filter(([field]) => texts.includes(field));
    const introduced = { ...(isByDonor ? write.introduced : {}), ...Object.fromEntries(told) };
    if (!isByDonor) byName.push({ id: write.id, introduced });
    for (const field of Object.keys(introduced))
      if (Object.hasOwn(write.named, field)) paid.add(field);
    for (const [field, entry] of Object.entries(introduced)) {
      const [sent = ''] = entry.split(' ');
      const forms = listForms(sent, field, owned, writes);
      const isOpen = write.state === 'intended' || isLeft(write.state);
      const isThere = isOpen || mergedInto !== null || shares(owned[field], forms);
      fields.set(field, new Set([...(fields.get(field) ?? []), ...forms]));
      isInCrm ||= isThere;
    }
    naming.push(write.id);
  }
  const erased = writes.map(({ state }) => state).find(isLeft) ?? null;
  return { fields, paid, writes: naming, isInCrm, erased, byName };
}

function isLeft(state: WriteState): state is 'left' | 'unseen' {
  return state === 'left' || state === 'unseen';
}

/** Returns the value as it was sent, and the forms into which the CRM's automation changed it. */
function listForms(
  sent: string,
  field: string,
  owned: OwnedValues,
  writes: ContactWithWrites['writes'],
): string[] {
  const entries = [owned[field], ...writes.map(({ after }) => after[field])];
  return [
    sent,
    ...entries.flatMap((entry) => (shares(entry, [sent]) ? (entry?.split(' ') ?? []) : [])),
  ];
}

function shares(entry: string | undefined, forms: readonly string[]): boolean {
  return entry?.split(' ').some((each) => forms.includes(each)) === true;
}

/** Adds the values that were in the contact before the writes, if they name the person. */
function addKeptValues(
  deps: StoreDeps,
  integrationId: string,
  { crmId, writes }: ContactWithWrites,
  family: readonly { id: string; fields: Mention['fields'] }[],
  { names }: Mentioned,
  found: KeptTexts,
): void {
  for (const { id, before, called } of writes) {
    if (before === '') continue;
    const others = names.except(called);
    const place = valuesBeforeSealContext({ id, integrationId, crmId });
    const values = openIfPossible(() => openValues(deps.sealer, before, place));
    if (values === null) continue;
    const telling = Object.entries(values).flatMap(([field, value]) => {
      const isNamed =
        (typeof value === 'string' && others.areIn(value)) ||
        (value !== null && family.some((part) => isIn(deps, part.id, part.fields, field, value)));
      return isNamed ? [field] : [];
    });
    if (telling.length === 0) continue;
    const nulls = Object.fromEntries(telling.map((field) => [field, null]));
    const left: FieldValues = { ...values, ...nulls };
    found.writes.push({ id, before: sealValues(deps.sealer, left, place) });
    found.texts += telling.length;
  }
}

/**
 * Returns whether a value of a field names the person. The same text may now be in a different field than the
 * one it was written to.
 */
function isIn(
  deps: { store: Pick<SyncDeps['store'], 'fingerprint'> },
  crmId: string,
  fields: Mention['fields'],
  field: string,
  value: FieldValue,
): boolean {
  const naming = fields.get(field);
  if (naming === undefined) return false;
  return naming.has(valueFingerprint(deps, crmId, field, value));
}

/**
 * Adds another contact's kept profile without the lines that name the person. A namesake's lines about
 * themselves are kept.
 */
function addProfile(
  deps: StoreDeps,
  integrationId: string,
  kept: KeptProfileText,
  { names }: Mentioned,
  found: KeptTexts,
): void {
  if (names.isEmpty) return;
  const { crmId, key, profile } = kept;
  const opened = openIfPossible(() => decryptProfile(deps, { integrationId, crmId, key, profile }));
  if (opened === null) return;
  const { profile: left, dropped } = withoutTexts(opened, names);
  if (dropped === 0) return;
  const encrypted = encryptProfile(deps, integrationId, crmId, left);
  found.profiles.push({ crmId, ...encrypted, keyBefore: key });
  found.texts += dropped;
}

/**
 * Returns a profile without the lines that contain one of the names, and the number of removed lines. Lines
 * with the profile's own name are kept, even if a namesake was erased. Pure except for fingerprints.
 */
export function withoutTexts(
  profile: Profile,
  erased: NamesOfPerson,
): { profile: Profile; dropped: number } {
  const names = erased.isEmpty ? erased : erased.exceptNamesIn(fullName(profile));
  if (names.isEmpty) return { profile, dropped: 0 };
  const lines = (texts: readonly string[]) => texts.filter((text) => !names.areIn(text));
  const left = {
    ...profile,
    bio: lines(profile.bio),
    work: lines(profile.work),
    education: lines(profile.education),
  };
  const count = (each: Profile) => each.bio.length + each.work.length + each.education.length;
  return { profile: left, dropped: count(profile) - count(left) };
}

/** Returns the name in a kept profile; null if the profile cannot be decrypted. */
export function nameOfKept(
  deps: Pick<SyncDeps, 'sealer'>,
  integrationId: string,
  kept: KeptProfileText,
): PersonName | null {
  return openIfPossible(() => decryptProfile(deps, { integrationId, ...kept }))?.name ?? null;
}

function fullName({ name }: Profile): string {
  return [name.first, name.middle, name.last].flatMap((part) => part ?? []).join(' ');
}

/** Null for a text that was tampered with. Undo and delivery do not trust such a text either. */
function openIfPossible<Result>(open: () => Result): Result | null {
  try {
    return open();
  } catch (error) {
    if (isFatalError(error)) return null;
    throw error;
  }
}

/** Drops the found texts in the store. */
export async function dropKeptTexts(
  { store }: Pick<SyncDeps, 'store'>,
  lease: Lease,
  { writes, profiles, mentions, naming }: FoundMentions,
): Promise<void> {
  if (naming.length > 0) await store.act((trx) => recordNaming(trx, lease.integrationId, naming));
  await store.checkpoint(lease, (trx) => replaceBefore(trx, writes));
  await store.checkpoint(lease, (trx) => replaceKeptTexts(trx, profiles));
  const gone = mentions.flatMap((each) => (each.isInCrm ? [] : each.writes));
  await store.checkpoint(lease, (trx) => recordTextsGone(trx, gone));
}

/** Number of contacts read at a time. */
const CONTACTS_AT_ONCE = 200;

async function* pagesOf(
  { store }: StoreDeps,
  integrationId: string,
  ids: readonly string[],
): AsyncGenerator<ContactWithWrites[]> {
  for (let start = 0; start < ids.length; start += CONTACTS_AT_ONCE) {
    yield findContactsWithWrites(
      store.reader,
      integrationId,
      ids.slice(start, start + CONTACTS_AT_ONCE),
    );
  }
}

/** Finds mentions of everyone who was erased, by the donors that were recorded for them. */
async function findErasedMentions(
  deps: StoreDeps,
  { integrationId }: Pick<Lease, 'integrationId'>,
): Promise<FoundMentions | null> {
  const { store } = deps;
  const donors = await listErasedDonors(store.reader, store.fingerprint, integrationId);
  if (donors.length === 0) return null;
  const merges = await findMerges(store.reader, integrationId);
  // A contact that absorbed such a contact can contain its texts. Other contacts are not read, because this
  // is done in every run.
  const naming = await listNamingContacts(store.reader, integrationId, donors);
  const ids = [...new Set(naming.flatMap((id) => [id, ...listHeirs(merges, id)]))];
  const everyone = { forms: [], names: NO_NAMES, donors: new Set(donors) };
  return findIn(deps, integrationId, everyone, merges, pagesOf(deps, integrationId, ids));
}

/**
 * For a run, which must not store such a value as the value before its write. Null if there is no such value.
 */
export async function loadErasedTexts(
  deps: StoreDeps,
  integrationId: string,
): Promise<ErasedTexts | null> {
  const found = await findErasedMentions(deps, { integrationId });
  if (found === null || found.mentions.length === 0) return null;
  const byContact = new Map(found.mentions.map((each) => [each.crmId, each.fields]));
  return {
    has: (crmIds, field, value) =>
      crmIds.some((id) => isIn(deps, id, byContact.get(id) ?? NO_FIELDS, field, value)),
  };
}

const NO_FIELDS: Mention['fields'] = new Map();

/** For a restored database that no run has used yet. */
export async function dropErasedTexts(deps: StoreDeps, integrationId: string): Promise<void> {
  const { store } = deps;
  const { fingerprint } = store;
  const donors = await listErasedDonors(store.reader, store.fingerprint, integrationId);
  const names = namesOfPerson(fingerprint, await findErasedNames(store.reader, integrationId));
  if (donors.length === 0 && names.isEmpty) return;
  const erased = { forms: [], donors: new Set(donors), names };
  const found = await findMentions(deps, integrationId, erased);
  if (found.naming.length > 0)
    await store.act((trx) => recordNaming(trx, integrationId, found.naming));
  await store.act((trx) => replaceRestored(trx, integrationId, found));
}

/**
 * Called before anything is restored, because a restored database again contains texts that name erased
 * people.
 */
export async function dropErasedMentions(deps: StoreDeps, lease: Lease): Promise<void> {
  const found = await findErasedMentions(deps, lease);
  if (found !== null) await dropKeptTexts(deps, lease, found);
}

/** Clears the texts in the CRM that still name erased people, regardless of the present settings. */
export async function clearErasedMentions(deps: MentionDeps, lease: Lease): Promise<void> {
  const { connection, fingerprint } = deps.store;
  await placeWrites(connection, fingerprint, lease.integrationId);
  const found = await findErasedMentions(deps, lease);
  if (found === null) return;
  await dropKeptTexts(deps, lease, found);
  await clearMentions(deps, lease, found.inCrm, NO_NAMES);
}

/**
 * The texts in erased contacts, with the IDs of these contacts, which only the CRM knows. The search reads
 * all contacts. If it does not find a contact, that contact is not searched for again until a run reads it.
 */
async function findErasedHolders(
  { store, connector }: MentionDeps,
  lease: Lease,
  found: readonly Mention[],
  looksAgain: boolean,
): Promise<{ mentions: Mention[]; unseen: number }> {
  const left = found.filter(({ erased }) => erased !== null);
  const wanted = new Set(
    left.flatMap(({ crmId, erased }) => (erased === 'left' || looksAgain ? crmId : [])),
  );
  const ids = new Map<string, string>();
  const pages = wanted.size === 0 ? [] : connector.readPages(null);
  for await (const { contacts, removed } of pages) {
    for (const { id } of [...contacts, ...removed]) {
      const contact = leftContact(store.fingerprint, id);
      if (wanted.has(contact)) ids.set(contact, id);
    }
    if (ids.size === wanted.size) break;
  }
  const inVain = [...wanted].filter((contact) => !ids.has(contact));
  if (inVain.length > 0) {
    await store.checkpoint(lease, (trx) => recordSeenErased(trx, inVain, 'unseen'));
  }
  const mentions = found.flatMap((mention): Mention[] => {
    if (mention.erased === null) return [mention];
    const crmId = ids.get(mention.crmId);
    return crmId === undefined ? [] : [{ ...mention, crmId, holder: crmId }];
  });
  return { mentions, unseen: left.filter(({ crmId }) => !ids.has(crmId)).length };
}

/** Clears the found texts in the CRM, and reports the texts that remain there. Can be repeated. */
export async function clearMentions(
  deps: MentionDeps,
  lease: Lease,
  all: readonly Mention[],
  names: NamesOfPerson,
  { looksAgain = false }: { looksAgain?: boolean } = {},
): Promise<MentionsLeft> {
  const { store, connector } = deps;
  const { mentions: found, unseen: erasedUnseen } = await findErasedHolders(
    deps,
    lease,
    all,
    looksAgain,
  );
  const fields = [...new Set(found.flatMap((mention) => [...mention.fields.keys()]))];
  if (fields.length === 0) return { contacts: 0, hidden: [], edited: 0, unseen: erasedUnseen };
  const visible = new Set((await connector.describeFields()).map(({ name }) => name));
  const seen = fields.filter((field) => visible.has(field));
  // If a file has no such column, it contains no value in it. In any other CRM, the field may exist and be
  // hidden.
  const hidden = connector.capabilities.remote ? fields.filter((field) => !visible.has(field)) : [];
  const byHolder = Map.groupBy(found, ({ holder }) => holder);
  const followed = new Set<string>();
  const left = new Set<string>();
  const edited = new Set<string>();
  let unseen = erasedUnseen;
  const { readBatch, writeBatch } = connector.capabilities;
  const size = Math.min(readBatch, writeBatch.max);
  const holders = [...byHolder.keys()];
  while (holders.length > 0) {
    const ids = holders.splice(0, size);
    const lookups = await connector.readByIds(ids, seen);
    // The CRM may have merged a record since the last run. Its texts are then in the record that absorbed it.
    for (const lookup of lookups) {
      if (lookup.state !== 'removed' || lookup.mergedInto === null) continue;
      if (followed.has(lookup.id)) continue;
      followed.add(lookup.id);
      const [own, heirs] = [byHolder.get(lookup.id), byHolder.get(lookup.mergedInto)];
      byHolder.set(lookup.mergedInto, [...(heirs ?? []), ...(own ?? [])]);
      holders.push(lookup.mergedInto);
    }
    // A record that is restored or shown again still contains the text.
    const away = new Set(lookups.flatMap((each) => (mayComeBack(each) ? each.id : [])));
    unseen += away.size;
    const changes = lookups.flatMap((lookup) => {
      const ours = namingFields(
        deps,
        lookup,
        byHolder.get(lookup.id) ?? [],
        seen,
        (field, value) => {
          if (typeof value === 'string' && names.areIn(value)) edited.add(lookup.id);
          return field;
        },
      );
      if (ours.length === 0) return [];
      return [{ id: lookup.id, values: Object.fromEntries(ours.map((field) => [field, null])) }];
    });
    const results = await writeChanges(deps, changes);
    await connector.finish();
    const refused = new Set(
      changes.flatMap(({ id }) => (results.get(id)?.status === 'written' ? [] : id)),
    );
    for (const id of refused) left.add(id);
    const cleared = changes.flatMap(({ id, values }) => {
      const own = byHolder.get(id) ?? [];
      const paid = Object.keys(values).filter((field) => own.some((each) => each.paid.has(field)));
      return refused.has(id) || paid.length === 0 ? [] : [{ crmId: id, fields: paid }];
    });
    await store.checkpoint(lease, (trx) => disownCleared(trx, cleared));
    const erasedAway = ids.flatMap((id) => (away.has(id) ? (byHolder.get(id) ?? []) : []));
    const unseenContacts = erasedAway.flatMap(({ crmId, erased }) =>
      erased === null ? [] : leftContact(store.fingerprint, crmId),
    );
    if (unseenContacts.length > 0) {
      await store.checkpoint(lease, (trx) => recordSeenErased(trx, unseenContacts, 'unseen'));
    }
    const done = ids.filter((id) => !refused.has(id) && !away.has(id) && !followed.has(id));
    const mentions = done.flatMap((id) => byHolder.get(id) ?? []);
    const whole = mentions.filter(({ fields: own }) => !hidden.some((field) => own.has(field)));
    const wholeWrites = whole.flatMap(({ writes }) => writes);
    await store.checkpoint(lease, (trx) => recordTextsGone(trx, wholeWrites));
    await store.checkpoint(lease, (trx) =>
      dropIntroducers(
        trx,
        mentions.map(({ crmId }) => crmId),
      ),
    );
  }
  return { contacts: left.size, hidden, edited: edited.size, unseen };
}

/**
 * Returns true for a record that may be shown again with its values, because it is hidden, or deleted without
 * a merge.
 */
function mayComeBack(lookup: RecordLookup): boolean {
  return lookup.state === 'missing' || (lookup.state === 'removed' && lookup.mergedInto === null);
}

/**
 * Returns the fields of a record that contain a text naming the person. Calls `onOther` for the other values.
 */
function namingFields(
  deps: Pick<SyncDeps, 'store'>,
  lookup: RecordLookup,
  mentions: readonly Mention[],
  seen: readonly string[],
  onOther: (field: string, value: FieldValue) => void,
): string[] {
  if (lookup.state !== 'found') return [];
  return seen.filter((field) => {
    const value = lookup.values[field] ?? null;
    if (value === null) return false;
    if (mentions.some(({ crmId, fields }) => isIn(deps, crmId, fields, field, value))) return true;
    onOther(field, value);
    return false;
  });
}
