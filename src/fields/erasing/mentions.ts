/**
 * Finds the values that name a person. Each write has recorded whom its values name, so the search does not depend on
 * the settings, the field map or the CRM. `clear-mentions.ts` clears the values in the CRM.
 */

import type { OwnedValues } from '../../contacts/owned-values.ts';
import type { FieldValue, FieldValues } from '../../core/crm-field.ts';
import { isFatalError } from '../../core/errors.ts';
import type { Profile } from '../../core/profile.ts';
import { valuesBeforeSealContext } from '../../database/encryption/seal-contexts.ts';
import type { Lease } from '../../database/leases.ts';
import type { WriteState } from '../../database/tables/fields.ts';
import { leftContact } from '../../privacy/statements/left-values.ts';
import {
  type ContactWithWrites,
  findContactsWithWrites,
  findMerges,
  type KeptProfileText,
  listContactsWithWrites,
  listKeptTexts,
  type NamingWrite,
  recordNaming,
  recordTextsGone,
  replaceBefore,
  replaceKeptTexts,
} from '../../privacy/statements/mentions.ts';
import type { SyncDeps } from '../../sync/control/context.ts';
import { decryptProfile, encryptProfile } from '../kept-profile.ts';
import { openValues, sealValues, valueFingerprint } from '../values.ts';
import type { NamesOfPerson, PersonName } from './erased-names.ts';

export type StoreDeps = Pick<SyncDeps, 'store' | 'sealer'>;
export type MentionDeps = StoreDeps & Pick<SyncDeps, 'connector'>;

export interface Mentioned {
  /** Every form of the contact's ID. The erasure clears the contact's own fields elsewhere. */
  forms: readonly string[];
  /** The fingerprints of the person's donors. */
  donors: ReadonlySet<string>;
  names: NamesOfPerson;
}

export interface Mention {
  /** The ID of the contact that received the value. The fingerprint of the value depends on this ID. */
  crmId: string;
  /** The ID of the contact that has the value now, after any merges. */
  holder: string;
  /** The fingerprints of the values that name the person, by field. */
  fields: ReadonlyMap<string, ReadonlySet<string>>;
  /** The fields that contain text from a paid profile. */
  paid: ReadonlySet<string>;
  writes: readonly string[];
  /** False if donor-sync has replaced the text with another value. */
  isInCrm: boolean;
  /**
   * Set if an erased contact may contain the value. The contact's ID is unknown, so `crmId` is a fingerprint. `unseen`
   * means that a search did not find the contact and no run has read it.
   */
  erased: 'left' | 'unseen' | null;
}

/** The stored texts that an erasure removes from the store. */
interface KeptTexts {
  writes: { id: string; before: string }[];
  profiles: (KeptProfileText & { keyBefore: string })[];
  mentions: Mention[];
  /** The writes that name the person but are not linked to the donor yet. */
  naming: NamingWrite[];
  /** The number of texts that the erasure removes. */
  texts: number;
}

export interface FoundMentions extends KeptTexts {
  inCrm: readonly Mention[];
}

/** Finds the values that name a person, without changing anything. */
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

export async function findIn(
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

/** Returns the contact's ID and the IDs of all records that were merged into the contact. */
function withParts(partsByHeir: ReadonlyMap<string, readonly string[]>, crmId: string): string[] {
  const all = [crmId];
  for (let at = 0; at < all.length; at += 1) {
    for (const part of partsByHeir.get(all[at] ?? '') ?? [])
      if (!all.includes(part)) all.push(part);
  }
  return all;
}

/** Returns the record that contains the values now, after any merges. */
function findHeir(merges: ReadonlyMap<string, string>, crmId: string): string {
  return listHeirs(merges, crmId).at(-1) ?? crmId;
}

/** Lists the records that remain after each merge, in order. A circle of merges ends at the record where it started. */
export function listHeirs(merges: ReadonlyMap<string, string>, crmId: string): string[] {
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

/** Returns the values of a contact that name the person. The function is pure except for fingerprints. */
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
    // Duplicates and namesakes keep their own profiles.
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

/** Returns the fingerprints of the sent value and of the values that the CRM's automation made of it. */
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

/** Adds the stored previous values that name the person. */
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

/** True if a field's text names the person. The text may have moved to another field. */
export function isIn(
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
 * Removes lines that name the person from another contact's kept profile. If the other contact is a namesake, the lines
 * about the namesake are kept.
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
 * Returns the profile without the lines that name the person, and the number of removed lines. Lines with the profile's
 * own name are kept, even after a namesake's erasure. The function is pure except for fingerprints.
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

/** Returns the name in a kept profile, or null if the profile cannot be decrypted. */
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

/** Decrypts a value. Returns null for a value that was tampered with, which undo and delivery also do not trust. */
function openIfPossible<Result>(open: () => Result): Result | null {
  try {
    return open();
  } catch (error) {
    if (isFatalError(error)) return null;
    throw error;
  }
}

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

const CONTACTS_AT_ONCE = 200;

export async function* pagesOf(
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
