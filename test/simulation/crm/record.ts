/** A record of a simulated CRM: its content, its past, its readers and writers, and what users did to it. */
import type { FieldValue } from '../../../src/core/crm-field.ts';
import type { Details, Human } from '../people/humans.ts';
import type { Life } from '../processes/process.ts';

/** A name of a human being that a record was, and until when. */
interface Former {
  human: Human;
  firstName: string;
  until: number;
}

export interface Cell {
  value: FieldValue;
  author: 'person' | 'product';
  at: number;
  /** The process that wrote it. Omitted for a user's value. */
  by?: string;
  /** True if a flow of the CRM has made it from a written value. */
  isAutomated?: boolean;
  /** True once a run that wrote it has ended normally, and so has read back the flow's value. */
  isRecorded?: boolean;
  /** True once the process that wrote it has learned that a flow changed it. */
  isTold?: boolean;
  /**
   * True if its record was gone or invisible when it was read back, or was merged before. Then nothing reports the
   * change.
   */
  isUntold?: boolean;
  /**
   * The written value from which a flow made this one, in a CRM that keeps the author of each value. Omitted in other
   * CRMs, and once the value was copied into another record.
   */
  madeFrom?: FieldValue;
  /**
   * True for a value of ours that came with another ID, in a row that nothing else shows to be the former contact. A run
   * has to take it for a user's value. An erasure may recognise it, because it compares it with the former row's values.
   */
  isCarried?: boolean;
}

/**
 * True for a flow's change of a value that its process never read back, or whose record was gone. Unless the CRM keeps
 * the authors of values, nobody can distinguish it from a user's value, and by the product's own rule it then belongs
 * to the user.
 */
export function isAnyones(cell: Cell): boolean {
  const { isAutomated = false, isRecorded = false, isUntold, madeFrom } = cell;
  if (madeFrom !== undefined) return false;
  return isAutomated && (isUntold === true || !isRecorded);
}

export interface Record_ {
  id: string;
  human: Human;
  /** The spelling of its first name, which distinguishes it from other records of the same human being. */
  firstName: string;
  details: Details;
  /** The human beings that it was before, the oldest first. */
  former: Former[];
  /** A user has said that the current name is the former person's new name, or that former values stay. */
  isSamePerson: boolean;
  /** All details that it had before, the oldest first. */
  history: Details[];
  /** Until when it had each of these details. */
  until: number[];
  optedOutAt: number | null;
  values: Map<string, Cell>;
  /** Fields that a user has typed into or emptied, in this record or in a record that was merged into it. */
  edited: Set<string>;
  /** True once `undo` has written into it, or has undone a write that is not known to be refused. */
  isUndone: boolean;
  /** Processes whose values it has refused. */
  refusedTo: Set<Life>;
  /** True once a user has rejected something about it. */
  isRejected: boolean;
  /** When it first opted out, or null if it never did. */
  firstOptOutAt: number | null;
  /** True while the integration's user cannot see it, without a tombstone. */
  isVanished: boolean;
  revision: number;
  changedAt: number;
  bornAt: number;
  /** With the heir's details at that time. */
  gone: { at: number; mergedInto: string | null; heirVersion: string | null } | null;
  /** In a list, the rows that the person had before this one, with other IDs. The last one first. */
  formerRows: readonly Record_[];
  /** When it last left, even if it is back, or null if it never left. */
  leftAt: number | null;
  /** When it first left, or became invisible. */
  firstLeftAt: number | null;
  /** Its last write, with the process and the time. Certain once that process has ended normally. */
  written: { by: string; at: number } | null;
  /** The times at which runs have written values into it. */
  filledAt: number[];
  /** When a profile was certainly written into it. */
  deliveredAt: number;
  /** When a user last requested that it be submitted once more. */
  resubmittedAt: number;
  /** When a user last said that it is not an erased person, or null if nobody has. */
  distinguishedAt: number | null;
  /** True once a user has approved a profile that did not fit it. */
  isApproved: boolean;
  /** The details that it was read with when a user said that they are no reason to pay. */
  rejectedChanges: Set<string>;
  /** The details that a user has decided not to submit again after a lost response, or null if there are none. */
  rejectedLoss: string | null;
  /** When it was erased. */
  forgottenAt: number | null;
  /**
   * When its erasure was first requested. From then on it may be blocked and erased, even if the process was killed.
   */
  erasureBegunAt: number | null;
  /** True once an erasure without clearing the CRM was started. Our values in the CRM may then no longer be known. */
  mayBeForgotten: boolean;
  /** True if the erasure cleared the CRM as well. */
  isErasedInCrm: boolean;
  /** A user has said that it is an erased person. */
  isConfirmedErased: boolean;
  /**
   * A user has said so at some time, even if the action was cut off or the user later said that it is somebody else.
   */
  wasCalledErased: boolean;
  /** When the product recorded that answer. */
  confirmedErasedAt: number | null;
  /** When each life of a process last read it. */
  readBy: Map<string, number>;
  /** The details that it was read with, by which process and when. */
  readAs: { version: string; by: string; at: number }[];
  /** When each life of a process last read its field values, which the pages of a search do not contain. */
  valuesReadBy: Map<string, number>;
  /** When the response to that reading arrived. */
  valuesKnownBy: Map<string, number>;
  /** When a page arrived that showed it as opted out. */
  optOutKnownBy: Map<string, number>;
  /** The time at which a search told each life of a process that the contact had left. */
  goneReads: { by: string; at: number }[];
}

/** Creates a record at that time. */
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

/** Equal for the same details, in any spelling. */
export function versionOf({ address, employer }: Details): string {
  return `${address.number}/${employer.number}`;
}

/** What a row with another ID has of the row before it: the person's own data, and what users have said about it. */
export function heritageOf(record: Record_): Partial<Record_> {
  const { optedOutAt, firstOptOutAt, edited, isSamePerson, isUndone, isRejected } = record;
  const { isApproved, rejectedChanges, rejectedLoss, resubmittedAt, erasureBegunAt } = record;
  return {
    // The erasure of a row leaves nothing by which the values in another row could be recognised.
    mayBeForgotten: record.mayBeForgotten || erasureBegunAt !== null,
    ...{ optedOutAt, firstOptOutAt, isSamePerson, isUndone, isRejected, isApproved, rejectedLoss },
    resubmittedAt,
    edited: new Set(edited),
    rejectedChanges: new Set(rejectedChanges),
  };
}
