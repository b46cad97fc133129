/**
 * Facts about a kind of CRM. The set-up, the pages and the terminal show them before a client exists. They are separate
 * from the connector, so a page that lists all CRMs does not load each CRM's client. Each connector's folder has them
 * in its `about.ts`, and `index.ts` registers them.
 */

import type { CrmDoor } from './doors.ts';
import type { CrmWebhooks } from './webhooks.ts';

/** The description of a built-in kind of CRM for users. */
export interface AboutCrm {
  /** The value of `crm.kind` in the settings. */
  kind: string;
  /** The vendor's spelling of the CRM's name. */
  name: string;
  /** The questions that set up a client of this kind. */
  setup?: CrmSetup;
  /** The features that donor-sync mentions when it describes all CRMs. */
  offers?: readonly CrmFeature[];
  /**
   * The way in which users remove an erased contact's former values from the CRM's history. For example: `delete the
   * contact permanently in HubSpot`.
   */
  removesFormerValues?: string;
  /** Omitted if the CRM does not sign its calls and donor-sync reads their form for every caller. */
  webhooks?: CrmWebhooks;
  /** How the CRM's own pages and workflows call donor-sync. */
  door?: CrmDoor;
}

/** `viewers`: the connector has `showFields`. `lists`: it has `createLists`. `source`: it has `fieldsAsSource`. */
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
   * The ways to sign in, with the usual way first. If there are several ways, the terminal asks for one. A browser asks
   * for one if several ways use the CRM's app.
   */
  signIns: readonly SignIn[];
  /** Omitted if there is only one way. */
  signInHint?: string;
  /** The steps in which an administrator of the CRM finds the required values. */
  howTo: readonly string[];
  /**
   * The title of the collapsed part of a browser's form. The part has the key if the CRM also has an app. The part has
   * the address if all accounts share it.
   */
  foldedTitle?: string;
  /**
   * Explains why this sign-in does not work at this address. Null if it works. The address is a valid URL. Omitted if
   * every way works at every address.
   */
  findAddressProblem?(signIn: string, url: string): AddressProblem | null;
  /** The choices for `crm.employer`, with the usual choice first. */
  employers?: readonly { value: string; label: string }[];
  /**
   * The CRM's marks about letters, phone calls and fundraising. These marks do not forbid research. The set-up shows
   * them and asks whether any of them excludes contacts.
   */
  contactMarks?: readonly ContactMark[];
  /** An example of `contacts.filter`. */
  filterExample?: string;
  /** An example of a network's group, in YAML's flow style. */
  groupExample: string;
}

/** A mark about letters, phone calls or fundraising. */
export interface ContactMark {
  /** The name of the field, as in `contacts.doNotContactField`. */
  field: string;
  /** The meaning of the mark, such as `do not send letters`. */
  label: string;
  /** The value with this mark, if the field has several marks. */
  value?: string;
}

export interface AddressQuestion {
  /** A noun phrase for the address, such as `your Salesforce login or My Domain URL`. */
  noun: string;
  /** The sentence that asks for the address in the terminal. */
  ask: string;
  /** The label of its field in a browser. */
  label: string;
  hint?: string;
  /** An example of an address. */
  placeholder?: string;
  /** Omitted if each account has its own. */
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
   * The sign-in that a browser offers. It uses a key from the CRM, or an app that is registered in the CRM. The
   * operator can set one app for all clients (`setup.<kind>` in the settings). Omitted if only the terminal and the
   * settings file offer it.
   */
  browser?: 'key' | 'app';
  /**
   * True if a user afterwards grants access on a page of the CRM (`consent` of the connector). This needs a browser, so
   * the terminal does not offer it.
   */
  isConsent?: boolean;
  /** True if it works only at one account's address. */
  needsOwnAddress?: boolean;
}

/** One value of `crm.auth`. */
export interface SignInField {
  /** The name of the value in `crm.auth`. */
  name: string;
  /** A noun phrase for the value, such as `the client secret`. */
  noun: string;
  /** The label of its field in a browser. */
  label: string;
  hint?: string;
  placeholder?: string;
  /** False if pages may show the value again, for example a user's name. */
  isSecret: boolean;
  /** True if the CRM also accepts a sign-in without it. */
  isOptional?: boolean;
  /** The environment variable for it in a settings file from `init`. */
  variable: string;
}

/** The problem that prevents a way to sign in at this address. */
export interface AddressProblem {
  /** The error's code in the catalogue. */
  code: string;
  /**
   * The text of the problem, excluding the full stop at its end. In messages, it follows the name of the field and a
   * colon.
   */
  problem: string;
}
