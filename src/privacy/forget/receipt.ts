/**
 * The result of an erasure, for people and programs. The result contains no names, and no ID except the ID in the
 * request.
 */
import { isoTime } from '../../core/clock.ts';
import { describeCount } from '../../core/quantities.ts';
import {
  addCounts,
  type CrmErasure,
  type ErasedCounts,
  type ErasureNote,
  NOTHING_ERASED,
  union,
} from '../../fields/erasing/erasure-note.ts';
import type { KnownContact } from '../statements/known-contacts.ts';

export interface ErasedIn {
  integration: string;
  note: ErasureNote;
  /** The time of an earlier erasure of the contact (epoch ms). Null if the contact has just been erased. */
  erasedEarlier: number | null;
  /** The contact into which the CRM has merged the erased contact, if any. */
  mergedInto: string | null;
  /** The reasons why the CRM did not clear some fields. */
  refusals: readonly string[];
  /**
   * True if the connector could not sign in. The next sync then has to delete the writes that the connector's files
   * still contain.
   */
  isKeptPending: boolean;
  /**
   * True if the contact's CRM fields were empty when donor-sync read them. donor-sync then stores no data about the
   * values in these fields.
   */
  isSeenEmpty: boolean;
  /**
   * True if the erasure is complete. False if the CRM still contains values from donor-sync. Until the CRM values are
   * cleared, the database keeps the data that identifies them.
   */
  isComplete: boolean;
}

export interface ErasureReceipt {
  id: string;
  at: string;
  /** True if the erasure is complete. False if someone must repeat the command once the CRM accepts the erasure. */
  complete: boolean;
  /** The time of an earlier erasure of the contact, if this erasure had nothing left to do. */
  erasedEarlier: string | null;
  integrations: {
    integration: string;
    wasKnown: boolean;
    erasedEarlier: string | null;
    erased: ErasedCounts;
    networks: ErasureNote['networks'];
    crm: CrmErasure | null;
  }[];
  /** The numbers of erased items, added up over all integrations. */
  erased: ErasedCounts;
  /** The result in the CRM. Null if the user did not request clearing the CRM. */
  crm: CrmErasure | null;
  /** Contacts that may be the same person under a different ID. */
  alike: readonly KnownContact[];
  /**
   * Contacts with the same ID in other accounts. Contacts in other accounts are different people, so donor-sync does
   * not erase them.
   */
  leftAlone: readonly KnownContact[];
  pending: Pending[];
}

/** The parts of the erasure that have not been done. */
export interface Pending {
  integration: string;
  what: 'networks' | 'introductions' | 'crm' | 'merged' | 'kept';
  text: string;
}

export function buildReceipt({
  at,
  erased: parts,
  alike,
  leftAlone,
}: {
  /** The time at which the erasure was carried out (epoch ms). */
  at: number;
  /** The results by integration. The integration of the request comes first. */
  erased: readonly ErasedIn[];
  alike: readonly KnownContact[];
  leftAlone: readonly KnownContact[];
}): ErasureReceipt {
  const earlier = parts.flatMap(({ erasedEarlier }) => erasedEarlier ?? []);
  const isEarlier = earlier.length > 0 && earlier.length === parts.length;
  return {
    id: parts[0]?.note.id ?? '',
    at: isoTime(at),
    complete: parts.every(({ isComplete }) => isComplete),
    erasedEarlier: isEarlier ? isoTime(Math.max(...earlier)) : null,
    integrations: parts.map(({ integration, note, erasedEarlier }) => ({
      integration,
      wasKnown: note.wasKnown,
      erasedEarlier: erasedEarlier === null ? null : isoTime(erasedEarlier),
      erased: note.erased,
      networks: note.networks,
      crm: note.crm,
    })),
    erased: parts.reduce((sum, { note }) => addCounts(sum, note.erased), NOTHING_ERASED),
    crm: parts.reduce<CrmErasure | null>((sum, { note }) => joined(sum, note.crm), null),
    alike,
    leftAlone,
    pending: parts.flatMap(listPending),
  };
}

function joined(one: CrmErasure | null, other: CrmErasure | null): CrmErasure | null {
  if (one === null || other === null) return one ?? other;
  return {
    cleared: union(one.cleared, other.cleared),
    editedSince: union(one.editedSince, other.editedSince),
    stillPresent: union(one.stillPresent, other.stillPresent),
    unreadable: union(one.unreadable, other.unreadable),
    hidden: union(one.hidden, other.hidden),
    unrecognized: union(one.unrecognized, other.unrecognized),
    verified: one.verified && other.verified,
  };
}

function addMentions(
  { contacts, hidden, edited, unseen }: ErasureNote['mentions'],
  add: (text: string) => void,
): void {
  if (contacts > 0) {
    add(
      `${describeCount(contacts, 'contact')} of the CRM still ${contacts === 1 ? 'names' : 'name'} this person as an introducer, because the CRM did not clear the text. The next attempt clears it.`,
    );
  }
  if (unseen > 0) {
    add(
      `${describeCount(unseen, 'contact')} that the CRM does not currently show can still name this person as an introducer. The next syncs look again, and clear the text once the CRM shows the contact.`,
    );
  }
  if (hidden.length > 0) {
    add(
      `Fields that the integration's user cannot see, and that can name this person as an introducer: ${hidden.join(', ')}. Show them to the user and repeat the command. If they no longer exist, repeat it without clearing the CRM.`,
    );
  }
  if (edited > 0) {
    add(
      `${describeCount(edited, 'contact')} of the CRM ${edited === 1 ? 'has' : 'have'} a text about an introduction that a user has changed and that names this person. donor-sync leaves it as it is.`,
    );
  }
}

function listPending(part: ErasedIn): Pending[] {
  const { integration, note, mergedInto, refusals, isKeptPending } = part;
  const { crm, networks, introductionsLeft } = note;
  const pending: Pending[] = [];
  const add = (what: Pending['what'], text: string) => pending.push({ integration, what, text });
  if (networks.pending.length > 0) {
    add(
      'networks',
      `Still in the networks, until the next sync removes them: ${networks.pending.join(', ')}.`,
    );
  }
  if (introductionsLeft > 0) {
    add(
      'introductions',
      `${describeCount(introductionsLeft, 'contact')} of the CRM may still name this person as an introducer, until the next sync overwrites the text.`,
    );
  }
  if (note.unreached !== null) {
    add(
      'crm',
      `The CRM could not be reached, and it still contains values that donor-sync wrote. The next attempt clears them. The CRM's error: ${note.unreached}`,
    );
  }
  addMentions(note.mentions, (text) => add('introductions', text));
  if (crm !== null && crm.stillPresent.length > 0) {
    const why = refusals.length === 0 ? '' : ` The CRM's message: ${refusals.join('; ')}.`;
    add(
      'crm',
      `The CRM still contains values that donor-sync wrote: ${crm.stillPresent.join(', ')}.${why}`,
    );
  }
  if (crm !== null && crm.unreadable.length > 0) {
    add(
      'crm',
      `Fields that the integration's user cannot see, and that may contain values that donor-sync wrote: ${crm.unreadable.join(', ')}.`,
    );
  }
  if (crm !== null && crm.unrecognized.length > 0) {
    add(
      'crm',
      `Fields with values that the database can no longer recognise, so donor-sync may have written them: ${crm.unrecognized.join(', ')}. Check them in the CRM.`,
    );
  }
  if (mergedInto !== null) {
    add(
      'merged',
      `The CRM has merged the contact into ${mergedInto}, which may contain this person's values. Erase that contact as well.`,
    );
  }
  if (isKeptPending) {
    add(
      'kept',
      "The next sync deletes the files that an interrupted sync left next to the CRM's file.",
    );
  }
  return pending;
}
