/**
 * Defines how a connector declares its CRM's door. The CRM's own pages and workflows call donor-sync through the door.
 * Connectors do not check signatures, the age of calls, or repeated calls and parameters. All these checks are in one
 * place. The same place decides what a caller may do. A connector therefore cannot omit any of these checks.
 */
import type { SignatureVersion } from './webhooks.ts';

/** How a CRM's pages and workflows call donor-sync. */
export interface CrmDoor {
  card: CardDoor;
  workflow: WorkflowDoor;
}

/** Calls from a card on a record. The CRM sends them for the user who sees the card. */
export interface CardDoor {
  /** How the CRM signs these calls. The signature covers a time and the whole address. */
  signature: SignatureVersion;
  /** Reads the caller's identity from the signed query. Null if a part is missing. */
  readCaller(query: Readonly<Record<string, string>>): CardCaller | null;
}

export interface CardCaller {
  account: string;
  /** The ID of the app that the card belongs to. */
  app: string;
  /** The ID of the user in the CRM. */
  user: string;
  /** The user's email address according to the CRM. Pages show it, but it does not prove the caller's identity. */
  email: string;
}

/** Calls from an action in a workflow. The CRM does not send them on behalf of a user. */
export interface WorkflowDoor {
  /** How the CRM signs these calls. The signature may cover no time. */
  signature: SignatureVersion;
  /** The headers that a call must have, with their values. The names are in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Null if the body is not an action's call about a contact. */
  readAction(body: unknown): WorkflowAction | null;
  /** Returns the response that the CRM expects. */
  reply(state: WorkflowState): unknown;
}

export interface WorkflowAction {
  account: string;
  contact: string;
  /** The ID of this execution. It is the same if the CRM repeats the call. */
  execution: string;
}

/**
 * `wanted`: the contact is marked. `limit`: the limit for the day is reached. `unknown`: none of the clients has this
 * contact.
 */
export type WorkflowState = 'wanted' | 'limit' | 'unknown';
