/**
 * Defines the part of a connector that lets the CRM's own pages and workflows call donor-sync. The part that lets a
 * CRM's pages call donor-sync is called the CRM's door. A connector does not check signatures, the age of calls,
 * repeated calls or repeated parameters. donor-sync itself makes these checks, and it also decides what a caller may
 * do. A connector therefore cannot leave out any of donor-sync's security checks.
 */
import type { SignatureVersion } from './webhooks.ts';

/** Describes how a CRM's pages and workflows call donor-sync. */
export interface CrmDoor {
  card: CardDoor;
  workflow: WorkflowDoor;
}

/**
 * The calls that a card on a record's page sends. The CRM sends these calls on behalf of the user who sees the card.
 */
export interface CardDoor {
  /**
   * Describes how the CRM signs calls from a card. The signature of a card's call covers a time and the complete
   * address.
   */
  signature: SignatureVersion;
  /** Reads the caller's identity from the signed query. Returns null if a part of the identity is missing. */
  readCaller(query: Readonly<Record<string, string>>): CardCaller | null;
}

export interface CardCaller {
  account: string;
  /** The ID of the CRM app that contains the card. */
  app: string;
  /** The ID of the user in the CRM. */
  user: string;
  /** The user's email address according to the CRM. Pages show the address, but it does not prove who the caller is. */
  email: string;
}

/** The calls that an action in a CRM workflow sends. A workflow's calls are not sent on behalf of a user. */
export interface WorkflowDoor {
  /**
   * Describes how the CRM signs calls from a workflow. The signature of a workflow's call does not have to cover a
   * time.
   */
  signature: SignatureVersion;
  /** The headers that a call must have, with their values. The names of the headers are in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Reads the workflow action from a body. Returns null if the body is not such a call about a contact. */
  readAction(body: unknown): WorkflowAction | null;
  /** Returns the response that the CRM expects. */
  reply(state: WorkflowState): unknown;
}

export interface WorkflowAction {
  account: string;
  contact: string;
  /** The ID of this execution of the workflow action. If the CRM repeats the call, the ID is the same. */
  execution: string;
}

/**
 * The result `wanted` means that donor-sync has marked the contact for enhancement. The result `limit` means that the
 * daily limit has been reached. The result `unknown` means that no client contains this contact.
 */
export type WorkflowState = 'wanted' | 'limit' | 'unknown';
