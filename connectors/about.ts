/**
 * The facts about a kind of CRM that set-up, pages and terminal show before a client exists. They load no
 * client, because a page that names every CRM must not load the client of every CRM. Each folder has them in its `about.ts`, and
 * `index.ts` registers them next to the connector.
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
  /** The features that texts about all CRMs mention. Omitted for none. */
  offers?: readonly CrmFeature[];
  /**
   * How users remove the former values of an erased contact from the CRM's own history: `delete the contact permanently in
   * HubSpot`. Omitted if the CRM keeps no former values.
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
 * A feature of a CRM: fields that are shown to chosen users (`showFields` of the connector), lists for users to work with
 * (`createLists`), and fields as source to deploy (`fieldsAsSource`).
 */
export type CrmFeature = 'viewers' | 'lists' | 'source';

/** A kind of CRM whose clients users can set up by answering questions, in a browser and in the terminal. */
export interface AboutRemoteCrm extends AboutCrm {
  setup: CrmSetup;
}

/** The questions of a set-up that depend on the kind of CRM. The answers become the `crm` part of a client's settings. */
export interface CrmSetup {
  /** The question for `crm.url`. */
  address: AddressQuestion;
  /**
   * The ways to sign in, the usual one first. The terminal asks for the way if it offers several, and a browser if
   * several use the CRM's app.
   */
  signIns: readonly SignIn[];
  /** A hint below the list of ways. Omitted if there is only one. */
  signInHint?: string;
  /** The steps in which an administrator of the CRM finds the required values. */
  howTo: readonly string[];
  /**
   * The title of the folded part of the form in a browser. It contains the key if the CRM also has an app, and the address
   * if it is the same for all accounts.
   */
  foldedTitle?: string;
  /**
   * Returns why this way to sign in cannot be used at this address, which is a valid URL, or null if it can. Omitted if
   * every way works at every address.
   */
  findAddressProblem?(signIn: string, url: string): AddressProblem | null;
  /** The choices for `crm.employer`, the usual one first. Omitted if the settings have no such choice. */
  employers?: readonly { value: string; label: string }[];
  /**
   * The CRM's marks that are about mail, calls and requests for money. They do not mean that a person must not be researched,
   * so the set-up shows them and asks whether any of these marks excludes contacts. Omitted if the CRM has none.
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
  /** The meaning of the mark: `no letters`. */
  label: string;
  /** The value with this mark, if the field has several marks. Omitted for a field that is true or false. */
  value?: string;
}

export interface AddressQuestion {
  /** The answer as a noun: `your Salesforce login or My Domain URL`. */
  noun: string;
  /** The sentence that asks for it in the terminal. */
  ask: string;
  /** The name of its field in a browser. */
  label: string;
  hint?: string;
  /** An example of an address; it is not used as an answer. */
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
   * How it is offered in a browser: with a key of the CRM, or with an app that is registered in the CRM. The operator can
   * name one app for all clients (`setup.<kind>` of the settings). Omitted if it is only for the terminal and the settings
   * file.
   */
  browser?: 'key' | 'app';
  /**
   * True if a user grants access on a page of the CRM afterwards (`consent` of the connector). It needs a browser, so the
   * terminal does not offer it.
   */
  isConsent?: boolean;
  /** True if it works only at the address of one account, so the terminal does not propose the usual address. */
  needsOwnAddress?: boolean;
}

/** One value of `crm.auth`. */
export interface SignInField {
  /** The name of the value in `crm.auth`. */
  name: string;
  /** The value as a noun, for the text about a missing value: `the client secret`. */
  noun: string;
  /** The name of its field in a browser. */
  label: string;
  hint?: string;
  placeholder?: string;
  /** False if pages may show the value again, for example a user's name. */
  isSecret: boolean;
  /** True if the CRM also accepts a sign-in without it. */
  isOptional?: boolean;
  /** The environment variable that a settings file from `init` names for it. */
  variable: string;
}

/** The reason why a way to sign in cannot be used at an address. */
export interface AddressProblem {
  /** The error's code in the catalogue. */
  code: string;
  /** The problem in words that can follow the name of the field and a colon, without a full stop. */
  problem: string;
}
