/**
 * A record of a simulated CRM, with its values, their history, the processes that read and wrote the values, and users'
 * actions.
 */
import type { FieldValue } from '../../../src/core/crm-field.ts';
import type { Details, Human } from '../people/humans.ts';
import type { Life } from '../processes/process.ts';

/** A person to whom the record once belonged, and the time when this ended. */
interface Former {
  human: Human;
  firstName: string;
  until: number;
}

export interface Cell {
  value: FieldValue;
  author: 'person' | 'product';
  at: number;
  /** The process that wrote the value. Omitted if a user typed the value. */
  by?: string;
  /** True if automation of the CRM has derived this value from a written value. */
  isAutomated?: boolean;
  /**
   * True if the run that wrote the value has ended normally. A run that ends normally has read the value that the CRM's
   * automation derived.
   */
  isRecorded?: boolean;
  /** True if the process that wrote the value knows that automation has changed the value. */
  isTold?: boolean;
  /**
   * True if the record was deleted, invisible or merged before the process could read the value back. The product then
   * does not learn that automation has changed the value.
   */
  isUntold?: boolean;
  /**
   * The value that was written before automation derived this value from it. Omitted if the CRM does not store the
   * author of each value, or if the value was copied into a different record.
   */
  madeFrom?: FieldValue;
  /**
   * True for donor-sync's value in a row with a new ID, if the product cannot recognise the row as the former contact.
   * An erasure, or a delivery for a different donor, can recognise the value by comparing it with the former row.
   */
  isCarried?: boolean;
}

/**
 * Returns true if automation has changed the value and the process has not read the new value. The product then cannot
 * distinguish the value from a user's value, unless the CRM stores the authors of values. By the product's own rule, a
 * value of unknown origin belongs to the user.
 */
export function isAnyones(cell: Cell): boolean {
  const { isAutomated = false, isRecorded = false, isUntold, madeFrom } = cell;
  if (madeFrom !== undefined) return false;
  return isAutomated && (isUntold === true || !isRecorded);
}

export interface Record_ {
  id: string;
  human: Human;
  /** The spelling of the first name, which distinguishes this record from other records of the same person. */
  firstName: string;
  details: Details;
  /** The people to whom the record once belonged, in order from the oldest. */
  former: Former[];
  /**
   * True if a user has said that the current name is the new name of the former person, or that the former values are
   * correct.
   */
  isSamePerson: boolean;
  /** All former details, the oldest first. */
  history: Details[];
  /** For each lost detail, the time at which the record lost the detail. */
  until: number[];
  optedOutAt: number | null;
  /**
   * True if the contact objects to research. The product counts the objection as an opt-out, although only the settings
   * contain it.
   */
  isObjecting: boolean;
  /** The time when a user marked the contact as “do not contact”, or null. */
  doNotContactAt: number | null;
  values: Map<string, Cell>;
  /** Fields that a user has changed in this record or in a record that was merged into it. */
  edited: Set<string>;
  /** True if `undo` has written into the record, or has undone a write that may have succeeded. */
  isUndone: boolean;
  /** The processes whose values the record has refused. */
  refusedTo: Set<Life>;
  /** True if a user has rejected something about the record. */
  isRejected: boolean;
  /** The time when the record first opted out, or null if it has never opted out. */
  firstOptOutAt: number | null;
  /** True while the CRM hides the record from the integration's user, although the record was not deleted. */
  isVanished: boolean;
  revision: number;
  changedAt: number;
  bornAt: number;
  /** The time at which the record was removed, and the details of the record that remained after a merge. */
  gone: { at: number; mergedInto: string | null; heirVersion: string | null } | null;
  /** The person's earlier rows in a list, with different IDs. The latest row comes first. */
  formerRows: readonly Record_[];
  /**
   * The last time at which the record was removed, even if the record has come back since then. Null if the record has
   * never left.
   */
  leftAt: number | null;
  /** The time when the record first left the list or became invisible. */
  firstLeftAt: number | null;
  /**
   * The last write, with its process and time. The database contains the write only after the process has ended
   * normally.
   */
  written: { by: string; at: number } | null;
  /** The times at which runs wrote values into the record. */
  filledAt: number[];
  /** The last time when a process wrote a profile into the record and recorded the write. */
  deliveredAt: number;
  /** The last time when a user requested to submit the record again. */
  resubmittedAt: number;
  /** The last time when a user said that this is not an erased person, or null. */
  distinguishedAt: number | null;
  /** True if a user has approved a profile that did not match the record. */
  isApproved: boolean;
  /** The details for which a user has decided not to pay again. */
  rejectedChanges: Set<string>;
  /** The details that a user decided not to submit again after a lost response, or null. */
  rejectedLoss: string | null;
  /** The time when the record was erased, or null. */
  forgottenAt: number | null;
  /**
   * The time when the record's erasure was first requested. After this time, the person may be blocked and the record
   * may be erased, even if the process was killed.
   */
  erasureBegunAt: number | null;
  /**
   * True if an erasure was started that does not clear the CRM. After this erasure, the product may no longer recognise
   * its own values in the CRM.
   */
  mayBeForgotten: boolean;
  /** True if the erasure of the contact also cleared donor-sync's values in the CRM. */
  isErasedInCrm: boolean;
  isConfirmedErased: boolean;
  /**
   * True if a user has ever confirmed the contact as an erased person, even if the action was interrupted or the user
   * later decided differently.
   */
  wasCalledErased: boolean;
  /** The time when the product recorded that answer. */
  confirmedErasedAt: number | null;
  /** The last time when each process read the record. */
  readBy: Map<string, number>;
  /** The details that processes have read, with the process and the time. */
  readAs: { version: string; by: string; at: number }[];
  /**
   * The time when a process first knew the record's details. A process knows a page when it requests the next page.
   * Before the process requests the next page, the page may be lost or the process may be killed. Null if no process
   * has known the details.
   */
  knownSince: number | null;
  /** The time when each process last read the record's field values, which search pages do not contain. */
  valuesReadBy: Map<string, number>;
  /** For each process, the time at which the process received the record's current field values. */
  valuesKnownBy: Map<string, number>;
  /** The time when a page first showed the record as opted out. */
  optOutKnownBy: Map<string, number>;
  /** The times at which a search told each process that the contact had left. */
  goneReads: { by: string; at: number }[];
}

export function newRecord(
  { id, human, firstName, details }: Pick<Record_, 'id' | 'human' | 'firstName' | 'details'>,
  bornAt: number,
): Record_ {
  return {
    ...{
      id,
      human,
      firstName,
      details,
      former: [],
      isSamePerson: false,
      history: [],
      until: [],
      optedOutAt: null,
      isObjecting: false,
      doNotContactAt: null,
      values: new Map(),
      edited: new Set(),
      isUndone: false,
      refusedTo: new Set(),
      isRejected: false,
      firstOptOutAt: null,
      isVanished: false,
      revision: 0,
    },
    ...{
      changedAt: 0,
      bornAt,
      gone: null,
      formerRows: [],
      leftAt: null,
      firstLeftAt: null,
      readBy: new Map(),
      readAs: [],
      knownSince: null,
      valuesReadBy: new Map(),
      valuesKnownBy: new Map(),
      optOutKnownBy: new Map(),
      goneReads: [],
      written: null,
      filledAt: [],
      deliveredAt: 0,
      resubmittedAt: 0,
      distinguishedAt: null,
      isApproved: false,
      rejectedChanges: new Set(),
      rejectedLoss: null,
      forgottenAt: null,
      erasureBegunAt: null,
      mayBeForgotten: false,
      isErasedInCrm: false,
      isConfirmedErased: false,
      wasCalledErased: false,
      confirmedErasedAt: null,
    },
  };
}

/** Returns a text that is equal for two spellings of the same details. */
export function versionOf({ address, employer }: Details): string {
  return `${address.number}/${employer.number}`;
}

/** Makes donor-sync's values a user's values. Nothing distinguishes values in a new row from values that users typed. */
export function loseOwner({ values, edited }: Record_): void {
  for (const [field, cell] of values) {
    if (cell.author === 'product') cell.isCarried = true;
    cell.author = 'person';
    edited.add(field);
  }
}

/**
 * Returns the data that a row with a new ID inherits from the former row: the person's own data, and users' decisions
 * about the person.
 */
export function heritageOf(record: Record_): Partial<Record_> {
  const { optedOutAt, firstOptOutAt, edited, isSamePerson, isUndone, isRejected } = record;
  const { isApproved, rejectedChanges, rejectedLoss, resubmittedAt, erasureBegunAt } = record;
  return {
    // After a row has been erased, the product can no longer recognise its values in other rows.
    mayBeForgotten: record.mayBeForgotten || erasureBegunAt !== null,
    ...{ optedOutAt, firstOptOutAt, isSamePerson, isUndone, isRejected, isApproved, rejectedLoss },
    resubmittedAt,
    edited: new Set(edited),
    rejectedChanges: new Set(rejectedChanges),
  };
}
