/** A record of a simulated CRM: its content, its past, its readers and writers, and what users did to it. */
import type { FieldValue } from '../../../src/core/crm-field.ts';
import type { Details, Human } from '../people/humans.ts';
import type { Life } from '../processes/process.ts';

/** A former person of the record, and until when. */
interface Former {
  human: Human;
  firstName: string;
  until: number;
}

export interface Cell {
  value: FieldValue;
  author: 'person' | 'product';
  at: number;
  /** The process that wrote the value. Omitted for a user's value. */
  by?: string;
  /** True if a flow of the CRM made the value from a written one. */
  isAutomated?: boolean;
  /** True if a run that wrote the value has ended normally, and has therefore read the flow's value. */
  isRecorded?: boolean;
  /** True if the process that wrote the value has learned that a flow changed it. */
  isTold?: boolean;
  /**
   * True if the record was gone, invisible or merged before the value could be read back. Then nothing reports the
   * flow's change.
   */
  isUntold?: boolean;
  /**
   * The written value from which a flow made this value, in a CRM that stores the author of each value. Omitted in
   * other CRMs, and after the value was copied into another record.
   */
  madeFrom?: FieldValue;
  /**
   * True for our value that came with another ID, in a row that cannot be recognised as the former contact. A run has
   * to treat it as a user's value. An erasure may recognise it, because it compares it with the former row's values.
   */
  isCarried?: boolean;
}

/**
 * Returns true for a value that a flow changed and that its process never read back, or whose record was gone. Unless
 * the CRM stores the authors of values, it cannot be distinguished from a user's value. By the product's own rule, it
 * then belongs to the user.
 */
export function isAnyones(cell: Cell): boolean {
  const { isAutomated = false, isRecorded = false, isUntold, madeFrom } = cell;
  if (madeFrom !== undefined) return false;
  return isAutomated && (isUntold === true || !isRecorded);
}

export interface Record_ {
  id: string;
  human: Human;
  /** The spelling of the first name. It distinguishes this record from other records of the same person. */
  firstName: string;
  details: Details;
  /** The record's former people, the oldest first. */
  former: Former[];
  /** True if a user has said that the current name is the former person's new name, or that former values stay. */
  isSamePerson: boolean;
  /** All former details, the oldest first. */
  history: Details[];
  /** Until when the record had each of these details. */
  until: number[];
  optedOutAt: number | null;
  values: Map<string, Cell>;
  /** Fields that a user has changed in this record or in a record that was merged into it. */
  edited: Set<string>;
  /** True if `undo` has written into the record, or has undone a write that may have succeeded. */
  isUndone: boolean;
  /** The processes whose values the record has refused. */
  refusedTo: Set<Life>;
  /** True if a user has rejected something about the record. */
  isRejected: boolean;
  /** When the record first opted out, or null if it never did. */
  firstOptOutAt: number | null;
  /** True while the integration's user cannot see the record, although it was not deleted. */
  isVanished: boolean;
  revision: number;
  changedAt: number;
  bornAt: number;
  /** When and how the record left, with the details of the remaining record at that time. */
  gone: { at: number; mergedInto: string | null; heirVersion: string | null } | null;
  /** The person's earlier rows in a list, with other IDs. The latest comes first. */
  formerRows: readonly Record_[];
  /** When the record last left, even if it has returned. Null if it never left. */
  leftAt: number | null;
  /** When the record first left or became invisible. */
  firstLeftAt: number | null;
  /** The last write, with its process and time. It is certain after that process has ended normally. */
  written: { by: string; at: number } | null;
  /** The times at which runs wrote values into the record. */
  filledAt: number[];
  /** The last time a profile was certainly written into the record. */
  deliveredAt: number;
  /** When a user last requested to submit the record again. */
  resubmittedAt: number;
  /** When a user last said that this is not an erased person, or null. */
  distinguishedAt: number | null;
  /** True if a user has approved a profile that did not match the record. */
  isApproved: boolean;
  /** The details for which a user has decided not to pay again. */
  rejectedChanges: Set<string>;
  /** The details that a user decided not to submit again after a lost response, or null. */
  rejectedLoss: string | null;
  /** When the record was erased, or null. */
  forgottenAt: number | null;
  /**
   * When the record's erasure was first requested. From then on it may be blocked and erased, even if the process was
   * killed.
   */
  erasureBegunAt: number | null;
  /** True if an erasure was started that does not clear the CRM. Our values in the CRM may then no longer be known. */
  mayBeForgotten: boolean;
  /** True if the erasure also cleared the CRM. */
  isErasedInCrm: boolean;
  /** True if a user has said that this is an erased person. */
  isConfirmedErased: boolean;
  /** True if a user has ever said so, even if the action was cut off or the user later said that it is someone else. */
  wasCalledErased: boolean;
  /** When the product recorded that answer. */
  confirmedErasedAt: number | null;
  /** When each process last read the record. */
  readBy: Map<string, number>;
  /** The details that processes have read, with the process and the time. */
  readAs: { version: string; by: string; at: number }[];
  /** When each process last read the field values, which search pages do not contain. */
  valuesReadBy: Map<string, number>;
  /** When the response with those field values arrived. */
  valuesKnownBy: Map<string, number>;
  /** When a page arrived that showed the record as opted out. */
  optOutKnownBy: Map<string, number>;
  /** When a search told each process that the contact had left. */
  goneReads: { by: string; at: number }[];
}

/** Creates a record at a time. */
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

/** Returns a text that is equal for the same details in any spelling. */
export function versionOf({ address, employer }: Details): string {
  return `${address.number}/${employer.number}`;
}

/**
 * Returns what a row with another ID inherits from the row before it: the person's own data, and users' statements
 * about it.
 */
export function heritageOf(record: Record_): Partial<Record_> {
  const { optedOutAt, firstOptOutAt, edited, isSamePerson, isUndone, isRejected } = record;
  const { isApproved, rejectedChanges, rejectedLoss, resubmittedAt, erasureBegunAt } = record;
  return {
    // Erasing a row leaves nothing by which values in another row could be recognised.
    mayBeForgotten: record.mayBeForgotten || erasureBegunAt !== null,
    ...{ optedOutAt, firstOptOutAt, isSamePerson, isUndone, isRejected, isApproved, rejectedLoss },
    resubmittedAt,
    edited: new Set(edited),
    rejectedChanges: new Set(rejectedChanges),
  };
}
