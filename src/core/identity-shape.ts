/** How contacts are turned into people under the current settings and permissions. */
export interface IdentityShape {
  /**
   * The settings for the columns of the identity, as one text. A different text is a different mapping. Neither the
   * filter nor the field map is part of it.
   */
  columns: string;
  /** The data model that was found, for example `plain` or `npsp`; part of the mapping. */
  mode: string;
  /** The CRM's own names of the fields with first and last names; omitted if the connector does not report them. */
  names?: readonly string[];
  /** Sources of addresses and employers; unreadable ones are listed as well. */
  sources: readonly IdentitySource[];
}

/** A CRM field that is part of the identity. */
export interface IdentitySource {
  /** The CRM's own name, for example `MailingStreet`; `Contact.unreadable` uses the same. */
  name: string;
  part: 'addresses' | 'employers';
  /** False if the integration's user may not read it (missing field access, missing scope). */
  readable: boolean;
}
