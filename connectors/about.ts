/**
 * Facts about a kind of CRM that the set-up, the pages and the terminal show before a client exists. They are separate
 * from the connector, because a page that lists all CRMs must not load the client of each. Each folder has them in its
 * `about.ts`, and `index.ts` registers them.
 */

import type { CrmDoor } from './doors.ts';
import type { CrmWebhooks } from './webhooks.ts';

/** A built-in kind of CRM, as donor-sync describes it to users. */
export interface AboutCrm {
  /** The value of `crm.kind` in the settings. */
  kind: string;
  /** The CRM's name, as its vendor spells it. */
  name: string;
  /** How a client of this kind is set up by questions. Omitted if the settings file is the only way. */
  setup?: CrmSetup;
  /** The features that texts about all CRMs mention. Omitted if there are none. */
  offers?: readonly CrmFeature[];
  /**
   * How users remove an erased contact's former values from the CRM's own history, for example `delete the contact
   * permanently in HubSpot`. Omitted if the CRM keeps no former values.
   */
  removesFormerValues?: string;
  /**
   * The CRM's own webhooks. Omitted if its calls have no signature, and a form that donor-sync reads for every caller.
   */
  webhooks?: CrmWebhooks;
  /** How the CRM's own pages and workflows call donor-sync. Omitted if they do not. */
  door?: CrmDoor;
}

/**
 * A feature of a CRM: fields that are shown to chosen users (`showFields` of the connector), lists for users to work
 * with (`createLists`), or fields as source to deploy (`fieldsAsSource`).
 */
export type CrmFeature = 'viewers' | 'lists' | 'source';

/** A kind of CRM whose clients users can set up by answering questions, in a browser and in the terminal. */
export interface AboutRemoteCrm extends AboutCrm {
  setup: CrmSetup;
}

/** The questions of a set-up for this kind of CRM. The answers become the `crm` part of a client's settings. */
export interface CrmSetup {
  /** The question for `crm.url`. */
  address: AddressQuestion;
  /**
   * The ways to sign in, usual one first. The terminal asks for the way if there are several. A browser asks if several
   * of them use the CRM's app.
   */
  signIns: readonly SignIn[];
  /** A hint below the list of ways. Omitted if there is only one way. */
  signInHint?: string;
  /** The steps in which an administrator of the CRM finds the required values. */
  howTo: readonly string[];
  /**
   * The title of the folded part of the form in a browser. This part contains the key if the CRM also has an app, and
   * the address if it is the same for all accounts.
   */
  foldedTitle?: string;
  /**
   * Returns why this way to sign in cannot be used at this address, which is a valid URL, or null if it can. Omitted if
   * every way works at every address.
   */
  findAddressProblem?(signIn: string, url: string): AddressProblem | null;
  /** The choices for `crm.employer`, usual one first. Omitted if the settings have no such choice. */
  employers?: readonly { value: string; label: string }[];
  /**
   * The CRM's marks for mail, calls and requests for money. They do not mean that a person must not be researched, so
   * the set-up shows them and asks whether any of them excludes contacts. Omitted if the CRM has none.
   */
  contactMarks?: readonly ContactMark[];
  /** An example of `contacts.filter`. Omitted if the connector has no filter. */
  filterExample?: string;
  /** An example of a network's group, in YAML's flow style. */
  groupExample: string;
}

/** A mark about mail, calls or requests for money. */
export interface ContactMark {
  /** The name of the field, as in `contacts.doNotContactField`. */
  field: string;
  /** What the mark means, such as `do not send letters`. */
  label: string;
  /** The value with this mark, if the field has several marks. Omitted for a field that is true or false. */
  value?: string;
}

export interface AddressQuestion {
  /** The answer as a noun, such as `your Salesforce login or My Domain URL`. */
  noun: string;
  /** The sentence that asks for the address in the terminal. */
  ask: string;
  /** The label of its field in a browser. */
  label: string;
  hint?: string;
  /** An example of an address, which is not used as an answer. */
  placeholder?: string;
  /** The usual address. Omitted if each account has its own. */
  usual?: string;
  /** True if all accounts have the usual address, so users are not asked unless they want to. */
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
   * How a browser offers it: with a key of the CRM, or with an app that is registered in the CRM. The operator can set
   * one app for all clients (`setup.<kind>` in the settings). Omitted if only the terminal and the settings file offer
   * it.
   */
  browser?: 'key' | 'app';
  /**
   * True if a user afterwards grants access on a page of the CRM (`consent` of the connector). This needs a browser, so
   * the terminal does not offer it.
   */
  isConsent?: boolean;
  /** True if it works only at the address of one account, so the terminal does not propose the usual address. */
  needsOwnAddress?: boolean;
}

/** One value of `crm.auth`. */
export interface SignInField {
  /** The name of the value in `crm.auth`. */
  name: string;
  /** The value as a noun, for the text about a missing value, such as `the client secret`. */
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

/** The reason why a way to sign in cannot be used at an address. */
export interface AddressProblem {
  /** The error's code in the catalogue. */
  code: string;
  /** The problem in words that can follow the name of the field and a colon, without a full stop. */
  problem: string;
}
