/** How contacts are made into persons under the present settings and permissions. */
export interface IdentityShape {
  /**
   * The settings that say which columns make the identity, as one text; another text is another
   * mapping. Neither the filter nor the field map belongs to it.
   */
  columns: string;
  /** What kind of data model was found, for example `plain` or `npsp`; part of the mapping. */
  mode: string;
  /** The CRM's own names of the fields with first and last names; left out where the connector does not say. */
  names?: readonly string[];
  /** Where addresses and employers come from; those that cannot be read are named as well. */
  sources: readonly IdentitySource[];
}

/** One field of the CRM that is a part of the identity. */
export interface IdentitySource {
  /** The CRM's own name, for example `MailingStreet`; `Contact.unreadable` uses the same. */
  name: string;
  part: 'addresses' | 'employers';
  /** False if the integration's user may not read it (missing field access, missing scope). */
  readable: boolean;
}
