/** How contacts are turned into people under the current settings and permissions. */
export interface IdentityShape {
  /**
   * The settings for the identity's columns, as one text. A different text means a different mapping. Neither the
   * filter nor the field map is part of it.
   */
  columns: string;
  /** The data model that was found, for example `plain` or `npsp`. It is part of the mapping. */
  mode: string;
  /** The CRM's names for the fields with first and last names. Omitted if the connector does not report them. */
  names?: readonly string[];
  /** The sources of addresses and employers, including unreadable sources. */
  sources: readonly IdentitySource[];
}

/** A CRM field that is part of the identity. */
export interface IdentitySource {
  /** The CRM's own name, such as `MailingStreet`. `Contact.unreadable` uses the same name. */
  name: string;
  part: 'addresses' | 'employers';
  /** False if the integration's user may not read it (no access to the field, or a missing scope). */
  readable: boolean;
}
