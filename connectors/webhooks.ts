/**
 * Defines how a connector declares its CRM's webhooks: how the CRM signs its calls, and in which forms it names
 * contacts. donor-sync itself compares signatures, limits the age and the size of calls, and refuses repeated calls. So
 * no connector can forget any of this.
 */

/** The webhooks of a CRM that are not in donor-sync's general forms. */
export interface CrmWebhooks {
  /** How the CRM signs its calls. Omitted if it does not. */
  signature?: WebhookSignature;
  /**
   * Reads one object of a JSON body. Returns null for an object that is not in this CRM's own form, and the general
   * forms are then tried. It gets the bodies of all callers, so it must recognise its form with certainty. Sends no
   * request and never throws.
   */
  readEvent?(object: Readonly<Record<string, unknown>>): CrmEvent | null;
  /**
   * Reads a body that is not JSON. Returns null for a text that is not in this CRM's own form. It gets the bodies of
   * all callers, up to 1 MB. Takes a time that is proportional to the length of the text, and never throws.
   */
  readText?(text: string): readonly CrmEvent[] | null;
  /** The response that the CRM expects to a body that `readText` has read. Defaults to JSON with status 202. */
  acknowledgement?: Acknowledgement;
}

/** An event or a record in a call. */
export interface CrmEvent {
  /**
   * The IDs of the contacts that it is about. Empty if it is about other records. A value that is not an ID is ignored.
   */
  ids: readonly unknown[];
  /** The ID of the CRM account that the event comes from. Null or undefined if it does not contain one. */
  account: unknown;
  /**
   * True if it reports that its contacts were deleted for privacy, so they are erased here too. It counts only in a call
   * with this CRM's own signature over a time.
   */
  isPrivacyDeletion?: boolean;
}

export interface Acknowledgement {
  contentType: string;
  body: string;
}

/** How a CRM signs its calls. */
export interface WebhookSignature {
  /** Completes the sentence “Calls are …”, for example with `signed by the HubSpot app`. */
  label: string;
  /** The secret with which the CRM signs, as a noun, such as `your app's client secret`. */
  secretNoun: string;
  /** The same secret as a noun for texts about all CRMs, such as `the HubSpot app's secret`. */
  settingsNoun: string;
  /** The environment variable that texts name as an example for the secret. */
  variable: string;
  /** One or two sentences about the secret, next to its field. */
  help: string;
  /** Returns the secret if the `crm` part of a client's settings contains it. Otherwise returns null. */
  findSecret(crm: unknown): string | null;
  /** The versions of the signature, safest first. The first version whose header a call has counts. */
  versions: readonly [SignatureVersion, ...SignatureVersion[]];
}

/** One version of a signature. */
export interface SignatureVersion {
  /** The header with the signature, in lower case. */
  header: string;
  /**
   * The header with the signed time, in lower case, and how many milliseconds its unit has. Null if no time is signed.
   * Such a call can be replayed, so it is never proof of a deletion.
   */
  timestamp: { header: string; unitMs: number } | null;
  /**
   * Returns the signature that a call must have, or null if the call cannot be signed in this version. `timestamp` is
   * empty if no time is signed. `given` is the call's signature, which may contain a variant. It must not be compared
   * here, because donor-sync compares in constant time.
   */
  sign(secret: string, call: SignedCall, timestamp: string, given: string): string | null;
}

/** The signed parts of a call. */
export interface SignedCall {
  method: string;
  /** The address as the caller knows it, with scheme, host, path and query exactly as they were received. */
  url: string;
  /** The body, exactly as received. */
  body: Uint8Array;
  /** Returns a header's value, by its name in lower case. */
  header(name: string): string | undefined;
}
