/**
 * The assumptions that could not be tried without a real site. `doctor` and the guide show this list. Each assumption was read in
 * the vendor's source or documents, and the stand-in plays its alternatives.
 */
export interface Assumption {
  /** The assumption. */
  assumed: string;
  /** The consequence if the assumption is wrong. */
  otherwise: string;
}

export const NOT_VERIFIED: readonly Assumption[] = [
  {
    assumed: 'A `save` of several contacts stops at the first refused one, or writes none of them.',
    otherwise: 'Each write is read back, so only requests are lost.',
  },
  {
    assumed: 'Saving custom fields changes nothing else of a contact.',
    otherwise: 'CiviCRM may build the display name and greetings again from the present names.',
  },
  {
    assumed: '`getFields` tells the longest text of a field as `maxlength`.',
    otherwise: 'Texts of more than 255 characters are left out, and a cut text is reported.',
  },
  {
    assumed: '`getFields` with the contact type Individual leaves out the fields of organizations.',
    otherwise: 'Such fields can be mapped, but users do not see the values in them.',
  },
  {
    assumed: 'Without "view debug output", the user receives no reason for a refusal.',
    otherwise: 'The reason is shown if CiviCRM sends it.',
  },
  {
    assumed: 'The filter `groups` brings smart groups up to date when it is used.',
    otherwise: "A network follows its group later, after the site's own job has run.",
  },
  {
    assumed:
      '`address_primary` and `employer_id.display_name` can be selected (since version 5.47).',
    otherwise: 'Addresses count as unreadable, and `doctor` says so.',
  },
  {
    assumed:
      'Merges are found by their activities of the last 90 days, with "view all activities".',
    otherwise: 'A merged contact counts as missing, and is looked up before anything is removed.',
  },
  {
    assumed: 'WordPress and Joomla use the addresses that the vendor documents.',
    otherwise: '`doctor` cannot open the site: set `crm.system` and `crm.cleanUrls`.',
  },
  {
    assumed: 'Requests of 500 contacts and of 50 changes stay within the limits of the server.',
    otherwise: 'donor-sync halves its requests until they succeed.',
  },
];
