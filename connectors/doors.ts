/**
 * Defines how a connector declares its CRM's door: how the CRM's own pages and workflows call donor-sync, and who
 * calls. donor-sync itself compares signatures, limits the age of calls, refuses repeated calls and parameters that
 * come twice, and decides what a caller may do. So no connector can forget any of this.
 */
import type { SignatureVersion } from './webhooks.ts';

/** How a CRM's pages and workflows call donor-sync. */
export interface CrmDoor {
  card: CardDoor;
  workflow: WorkflowDoor;
}

/** Calls of a card on a record, which the CRM sends for the user who sees the card. */
export interface CardDoor {
  /** How they are signed. It signs a time and the whole address. */
  signature: SignatureVersion;
  /** Reads who calls from the signed query. Null if a part is missing. */
  readCaller(query: Readonly<Record<string, string>>): CardCaller | null;
}

export interface CardCaller {
  /** The ID of the CRM account. */
  account: string;
  /** The ID of the app that the card belongs to. */
  app: string;
  /** The ID of the user in the CRM. */
  user: string;
  /** The user's address according to the CRM. It is shown, and proves nothing. */
  email: string;
}

/** Calls of an action in a workflow, which the CRM sends for no user. */
export interface WorkflowDoor {
  /** How they are signed, which may be without a time. */
  signature: SignatureVersion;
  /** Headers whose values a call must have, by their names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Reads a body. Null if it is not a call of an action about a contact. */
  readAction(body: unknown): WorkflowAction | null;
  /** Returns the response that the CRM expects. */
  reply(state: WorkflowState): unknown;
}

export interface WorkflowAction {
  /** The ID of the CRM account. */
  account: string;
  contact: string;
  /** The ID of this execution. It is the same if the CRM repeats the call. */
  execution: string;
}

/** `wanted`: the contact is marked. `limit`: the day's limit is reached. `unknown`: it is not a contact of a client. */
export type WorkflowState = 'wanted' | 'limit' | 'unknown';
