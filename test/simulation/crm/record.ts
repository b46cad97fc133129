/** A record of a simulated CRM: what it says, what it was, who has read and written it, and what users did to it. */
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
  /** The process that wrote it; left out for a user's. */
  by?: string;
  /** True if a flow of the CRM has made it of what was written. */
  isAutomated?: boolean;
  /** True once a run that wrote it has come to its end as it should: it has read back what a flow made of it. */
  isRecorded?: boolean;
  /** True once the process that wrote it was told that a flow has made it. */
  isTold?: boolean;
  /** True if its record was gone or out of sight when it was read back, or was merged before: nothing tells then. */
  isUntold?: boolean;
}

/**
 * True of what a flow made of a value whose process never came to read it back, or found its record gone: no one can
 * tell it from a user's, to whom it belongs by the product's own rule.
 */
export function isAnyones({ isAutomated = false, isRecorded = false, isUntold }: Cell): boolean {
  return isAutomated && (isUntold === true || !isRecorded);
}

export interface Record_ {
  id: string;
  human: Human;
  /** How its first name is written, which tells it from other records of the human being. */
  firstName: string;
  details: Details;
  /** The human beings that it was before, the oldest first. */
  former: Former[];
  /** A user has said that the present name is the former person's new one, or that former values stay. */
  isSamePerson: boolean;
  /** All that it was before, the oldest first. */
  history: Details[];
  /** Until when it was each of those. */
  until: number[];
  optedOutAt: number | null;
  values: Map<string, Cell>;
  /** Fields that a user has typed into or emptied, here or in a record that became a part of it. */
  edited: Set<string>;
  /** True once `undo` has written into it, or has taken back a write of which nobody knows that it was refused. */
  isUndone: boolean;
  /** Processes whose values it has refused. */
  refusedTo: Set<Life>;
  /** True once a user has said no to something about it. */
  isRejected: boolean;
  /** When it opted out first; null if it never did. */
  firstOptOutAt: number | null;
  /** True while the integration's user cannot see it, without a tombstone. */
  isVanished: boolean;
  revision: number;
  changedAt: number;
  bornAt: number;
  /** With the details that the heir had then. */
  gone: { at: number; mergedInto: string | null; heirVersion: string | null } | null;
  /** When it left last, also if it is there again; null if it never did. */
  leftAt: number | null;
  /** When it left, or could not be seen, for the first time. */
  firstLeftAt: number | null;
  /** What was written into it last, by which process and when; certain once that life has ended well. */
  written: { by: string; at: number } | null;
  /** When runs have written values into it, each time. */
  filledAt: number[];
  /** When a profile was certainly written into it. */
  deliveredAt: number;
  /** When a person last asked for it to be submitted once more. */
  resubmittedAt: number;
  /** When a person last said that it is not one who was erased; null if none has. */
  distinguishedAt: number | null;
  /** True once a person has approved what did not fit it. */
  isApproved: boolean;
  /** As what it had been read when a person said that its changed details are no reason to pay. */
  rejectedChanges: Set<string>;
  /** The details of which a person has said that they are not asked for again after a lost answer; null if none. */
  rejectedLoss: string | null;
  /** When it was erased. */
  forgottenAt: number | null;
  /** When that was first asked for: it may be blocked and erased from then on, also where its process was killed. */
  erasureBegunAt: number | null;
  /** True once that was begun without clearing the CRM: what is ours there may not be known any more. */
  mayBeForgotten: boolean;
  /** True if that cleared the CRM as well. */
  isErasedInCrm: boolean;
  /** A person has said that it is one who was erased. */
  isConfirmedErased: boolean;
  /** A person has said so once, be it that this was cut off, and told it apart later. */
  wasCalledErased: boolean;
  /** When the product has taken note of that. */
  confirmedErasedAt: number | null;
  /** When each life of a process read it last. */
  readBy: Map<string, number>;
  /** As what it was read, by which process and when. */
  readAs: { version: string; by: string; at: number }[];
  /** When each of them last read what is in its fields: the pages of a search do not tell. */
  valuesReadBy: Map<string, number>;
  /** When the answer to that was there. */
  valuesKnownBy: Map<string, number>;
  /** When a page was there that showed it as opted out. */
  optOutKnownBy: Map<string, number>;
  /** When a search has told which life of a process that it left. */
  goneReads: { by: string; at: number }[];
}

/** One that is new at that time. */
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

/** Equal for the same details, however they are spelled. */
export function versionOf({ address, employer }: Details): string {
  return `${address.number}/${employer.number}`;
}
