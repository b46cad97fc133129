/** What ties people to organisations. */

/** A dated tie to an organisation; dates are ISO days, `end` is null while it lasts. */
export interface Role {
  organisationId: string;
  organisationName: string;
  title: string;
  start: string;
  end: string | null;
}
