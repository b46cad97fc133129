/**
 * Assumptions that nobody has tested on a real CiviCRM site. `doctor` and the guide show the assumptions. Each
 * assumption comes from CiviCRM's source code or documents. The CiviCRM stand-in can also behave differently from each
 * assumption.
 */
export interface Assumption {
  /** The assumption. */
  assumed: string;
  /** The effect on donor-sync if the assumption is wrong. */
  otherwise: string;
}

export const NOT_VERIFIED: readonly Assumption[] = [
  {
    assumed:
      'A `save` of several contacts stops at the first refused contact, or writes no contact.',
    otherwise: 'donor-sync reads each write back, so only requests are lost.',
  },
  {
    assumed: 'Saving custom fields changes nothing else in a contact.',
    otherwise: 'CiviCRM might rebuild the display name and greetings from the current names.',
  },
  {
    assumed: '`getFields` reports the maximum length of a field as `maxlength`.',
    otherwise:
      'donor-sync does not write a text of more than 255 characters. If CiviCRM shortens a text, donor-sync reports the shortened text.',
  },
  {
    assumed: '`getFields` with the contact type Individual leaves out the fields of organizations.',
    otherwise: 'You can map such fields, but users do not see the values in them.',
  },
  {
    assumed: 'Without "view debug output", the user receives no reason for a refusal.',
    otherwise: 'donor-sync shows the reason if CiviCRM sends it.',
  },
  {
    assumed: 'When you use the `groups` filter, CiviCRM updates the smart groups in it.',
    otherwise: "A network follows its group later, after the site's own job has run.",
  },
  {
    assumed:
      '`address_primary` and `employer_id.display_name` can be selected (since version 5.47).',
    otherwise: 'donor-sync treats addresses as unreadable, and `doctor` reports this.',
  },
  {
    assumed:
      'With the permission "view all activities", donor-sync finds merges through the activities of the last 90 days.',
    otherwise:
      'A merged contact counts as missing. donor-sync looks up the contact before it removes anything.',
  },
  {
    assumed: 'WordPress and Joomla use the addresses that the vendor documents.',
    otherwise: '`doctor` cannot open the site. Set `crm.system` and `crm.cleanUrls`.',
  },
  {
    assumed: 'Requests of 500 contacts and of 50 changes stay within the limits of the server.',
    otherwise: 'donor-sync halves its requests until they succeed.',
  },
];
