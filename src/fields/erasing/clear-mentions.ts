/** Clears values that name an erased person and reports which values remain. */
import type { RecordLookup } from '../../../connectors/contract.ts';
import type { FieldValue } from '../../core/crm-field.ts';
import type { Lease } from '../../database/leases.ts';
import { dropIntroducers } from '../../paths/statements/warm-paths.ts';
import { leftContact } from '../../privacy/statements/left-values.ts';
import {
  disownCleared,
  recordSeenErased,
  recordTextsGone,
} from '../../privacy/statements/mentions.ts';
import type { SyncDeps } from '../../sync/control/context.ts';
import { writeChanges } from '../write.ts';
import type { NamesOfPerson } from './erased-names.ts';
import { isIn, type Mention, type MentionDeps } from './mentions.ts';

export interface MentionsLeft {
  /** The number of contacts whose values the CRM refused to clear or that received no request. */
  contacts: number;
  /** The names of fields that the integration's user cannot see. */
  hidden: string[];
  edited: number;
  /** The number of contacts that the CRM does not show and does not report as deleted. */
  unseen: number;
}

/**
 * Finds the contacts whose IDs only the CRM knows. The search reads all contacts of the CRM. A contact that is not
 * found is not searched for again until a run reads it.
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

/** Clears the values that name the person and reports which values remain. The call can be repeated. */
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
  // A file without this column contains no values to clear. In other CRMs, the field may be hidden.
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
    // The CRM may have merged a record since the last run. The record that remains then contains the merged record's
    // values.
    for (const lookup of lookups) {
      if (lookup.state !== 'removed' || lookup.mergedInto === null) continue;
      if (followed.has(lookup.id)) continue;
      followed.add(lookup.id);
      const [own, heirs] = [byHolder.get(lookup.id), byHolder.get(lookup.mergedInto)];
      byHolder.set(lookup.mergedInto, [...(heirs ?? []), ...(own ?? [])]);
      holders.push(lookup.mergedInto);
    }
    // A record that is restored or becomes visible again still contains the value.
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

/** True if a record may come back into the CRM with its values. */
function mayComeBack(lookup: RecordLookup): boolean {
  return lookup.state === 'missing' || (lookup.state === 'removed' && lookup.mergedInto === null);
}

/** Returns the fields whose values name the person. Calls `onOther` for fields with other values. */
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
