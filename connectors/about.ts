/**
 * Facts about a kind of CRM. donor-sync shows these facts in the set-up, on its pages and in the terminal before a
 * client exists. The facts are separate from the connector, so a page that lists all CRMs does not load the code of
 * each connector. The `about.ts` in each connector's folder contains the facts, and `index.ts` registers them.
 */

import type { CrmDoor } from './doors.ts';
import type { CrmWebhooks } from './webhooks.ts';

/** The facts about a built-in kind of CRM that users see. */
export interface AboutCrm {
  /** The kind of CRM, as `crm.kind` in the settings names it. */
  kind: string;
  /** The vendor's spelling of the CRM's name. */
  name: string;
  /** The questions that users answer to set up a client of this kind. */
  setup?: CrmSetup;
  /** The features that donor-sync names when it describes all CRMs. */
  offers?: readonly CrmFeature[];
  /**
   * An instruction for users that tells them how to remove an erased contact's former values from the CRM's history.
   * For example: `delete the contact permanently in HubSpot`.
   */
  removesFormerValues?: string;
  /**
   * The CRM's own webhooks. The field is omitted if the CRM does not sign its calls and uses one of donor-sync's
   * general forms.
   */
  webhooks?: CrmWebhooks;
  /** Describes how the CRM's own pages and workflows call donor-sync. */
  door?: CrmDoor;
}

/**
 * The entry `viewers` means that the connector has the function `showFields`. The entry `lists` means that the
 * connector has the function `createLists`. The entry `source` means that the connector has the function
 * `fieldsAsSource`.
 */
export type CrmFeature = 'viewers' | 'lists' | 'source';

/** A kind of CRM for which users can set up clients by answering questions. */
export interface AboutRemoteCrm extends AboutCrm {
  setup: CrmSetup;
}

/** The user's answers become the `crm` part of the client's settings. */
export interface CrmSetup {
  /** The question that asks the user for the CRM's address (`crm.url`). */
  address: AddressQuestion;
  /**
   * The ways in which donor-sync can sign in to the CRM. The most common way to sign in comes first. If there are
   * several ways to sign in, the terminal asks the user to choose one. The browser form asks the user to choose only if
   * several ways to sign in use an app registered in the CRM.
   */
  signIns: readonly SignIn[];
  /**
   * A hint that helps users choose how donor-sync signs in. The hint is omitted if there is only one way to sign in.
   */
  signInHint?: string;
  /** Instructions that tell a CRM administrator how to find the required values. */
  howTo: readonly string[];
  /**
   * The title of the collapsed part of a browser's form. If the CRM offers both a key and an app, the collapsed part of
   * the form contains the key. If all accounts share one address, the collapsed part of the form contains that address.
   */
  foldedTitle?: string;
  /**
   * Returns the reason why this way to sign in does not work at the CRM's address. Returns null if the way to sign in
   * works at the address. The caller has already checked that the address is a valid URL. The function is omitted if
   * every way to sign in works at every address.
   */
  findAddressProblem?(signIn: string, url: string): AddressProblem | null;
  /** The choices for `crm.employer`. The most common choice comes first. */
  employers?: readonly { value: string; label: string }[];
  /**
   * The CRM's marks about letters, phone calls and fundraising. Marks about letters, phone calls and fundraising do not
   * forbid research about a contact. The set-up lists the CRM's marks and asks the user whether any of them excludes
   * contacts.
   */
  contactMarks?: readonly ContactMark[];
  /** An example of `contacts.filter`. */
  filterExample?: string;
  /** An example of a network's group, in YAML's flow style. */
  groupExample: string;
}

/** A mark about letters, phone calls or fundraising. */
export interface ContactMark {
  /** The name of the field, in the form that `contacts.doNotContactField` uses. */
  field: string;
  /** The meaning of the mark, such as `do not send letters`. */
  label: string;
  /** If one field contains several marks, the value that means this mark. */
  value?: string;
}

export interface AddressQuestion {
  /** A noun phrase that describes the address, such as `your Salesforce login or My Domain URL`. */
  noun: string;
  /** The sentence that asks for the address in the terminal. */
  ask: string;
  /** The label of the address field in a browser. */
  label: string;
  hint?: string;
  /** An example of an address. */
  placeholder?: string;
  /** The usual address. The field is omitted if each account has its own address. */
  usual?: string;
  /** True if all accounts have the usual address. Users can still enter a different address for their account. */
  isForAll?: boolean;
}

/** One form of `crm.auth` in the settings. */
export interface SignIn {
  /** The value of `crm.auth.type`. */
  type: string;
  label: string;
  hint?: string;
  /**
   * The other values of `crm.auth`, in the order in which users enter them. For the types `app` and `consent`, the
   * values are `clientId` and `clientSecret`.
   */
  fields: readonly SignInField[];
  /**
   * The kind of sign-in that a browser offers. donor-sync signs in with a key from the CRM, or through an app that is
   * registered in the CRM. The operator can set one app for all clients (`setup.<kind>` in the settings). The field is
   * omitted if only the terminal and the settings file offer this way to sign in.
   */
  browser?: 'key' | 'app';
  /**
   * True if the user must also grant access on a page of the CRM (`consent` of the connector). Granting access needs a
   * browser, so the terminal does not offer this way to sign in.
   */
  isConsent?: boolean;
  /** True if the sign-in works only at the account's own address. */
  needsOwnAddress?: boolean;
}

/** One value of `crm.auth`. */
export interface SignInField {
  /** The value's key in `crm.auth`. */
  name: string;
  /** A noun phrase that describes the value, such as `the client secret`. */
  noun: string;
  /** The label of the value's field in a browser. */
  label: string;
  hint?: string;
  placeholder?: string;
  /** False if pages may show the value again, for example a user's name. */
  isSecret: boolean;
  /** True if the CRM also accepts a sign-in without the value. */
  isOptional?: boolean;
  /** The environment variable that contains the value in a settings file from `init`. */
  variable: string;
}

/** The reason why a sign-in does not work at this address. */
export interface AddressProblem {
  /** The error's code in donor-sync's catalogue of errors. */
  code: string;
  /**
   * The text of the problem, without a full stop at its end. In a message, the text follows the name of the field and a
   * colon.
   */
  problem: string;
}
