/**
 * Facts about a kind of CRM. donor-sync shows these facts in the set-up, on its pages and in the terminal before a
 * client exists. The facts are separate from the connector, so a page that lists all CRMs does not load the code of
 * each connector. The `about.ts` in each connector's folder contains the facts, and `index.ts` registers them.
 */

import type { CrmDoor } from './doors.ts';
import type { CrmWebhooks } from './webhooks.ts';

/** The facts about a built-in kind of CRM that users see. */
export interface AboutCrm {
  /** The value of `crm.kind` in the settings. */
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
  /** The CRM's own webhooks. Omitted if the CRM does not sign its calls and uses one of donor-sync's general forms. */
  webhooks?: CrmWebhooks;
  /** Describes how the CRM's own pages and workflows call donor-sync. */
  door?: CrmDoor;
}

/**
 * With `viewers`, the connector has `showFields`. With `lists`, the connector has `createLists`. With `source`, the
 * connector has `fieldsAsSource`.
 */
export type CrmFeature = 'viewers' | 'lists' | 'source';

/** A kind of CRM for which users can set up clients by answering questions. */
export interface AboutRemoteCrm extends AboutCrm {
  setup: CrmSetup;
}

/** The answers become the `crm` part of a client's settings. */
export interface CrmSetup {
  /** The question for `crm.url`. */
  address: AddressQuestion;
  /**
   * The ways to sign in. The usual way comes first. If there are several ways, the terminal asks the user for one. A
   * browser asks the user only if several ways use the CRM's app.
   */
  signIns: readonly SignIn[];
  /** A hint for the choice of the sign-in. Omitted if there is only one way to sign in. */
  signInHint?: string;
  /** Instructions that tell a CRM administrator how to find the required values. */
  howTo: readonly string[];
  /**
   * The title of the collapsed part of a browser's form. The collapsed part contains the key if the CRM also has an
   * app. The collapsed part contains the address if all accounts share one address.
   */
  foldedTitle?: string;
  /**
   * Returns the reason why this sign-in does not work at this address. Returns null if the sign-in works. The address
   * is a valid URL. Omitted if every sign-in works at every address.
   */
  findAddressProblem?(signIn: string, url: string): AddressProblem | null;
  /** The choices for `crm.employer`. The usual choice comes first. */
  employers?: readonly { value: string; label: string }[];
  /**
   * The CRM's marks about letters, phone calls and fundraising. These marks do not forbid research about a contact. The
   * set-up lists the marks and asks whether any of them excludes contacts.
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
  /** The value that means this mark, if the field contains several marks. */
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
  /** The usual address. Omitted if each account has its own address. */
  usual?: string;
  /** True if all accounts have the usual address. Users can still enter another address. */
  isForAll?: boolean;
}

/** One form of `crm.auth` in the settings. */
export interface SignIn {
  /** The value of `crm.auth.type`. */
  type: string;
  label: string;
  hint?: string;
  /**
   * The other values of `crm.auth`, in the order in which users enter them. For `app` and `consent`, they are `clientId`
   * and `clientSecret`.
   */
  fields: readonly SignInField[];
  /**
   * The kind of sign-in that a browser offers. The sign-in uses a key from the CRM, or an app that is registered in the
   * CRM. The operator can set one app for all clients (`setup.<kind>` in the settings). Omitted if only the terminal
   * and the settings file offer it.
   */
  browser?: 'key' | 'app';
  /**
   * True if the user must then grant access on a page of the CRM (`consent` of the connector). The page needs a
   * browser, so the terminal does not offer this sign-in.
   */
  isConsent?: boolean;
  /** True if the sign-in works only at the account's own address. */
  needsOwnAddress?: boolean;
}

/** One value of `crm.auth`. */
export interface SignInField {
  /** The name of the value in `crm.auth`. */
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
  /** The error's code in the catalogue. */
  code: string;
  /**
   * The text of the problem, without a full stop at its end. In a message, the text follows the name of the field and a
   * colon.
   */
  problem: string;
}
