import { LightningElement, api } from 'lwc';

/** The fields that donor-sync writes, read-only. */
export default class DonorSyncProfile extends LightningElement {
    /** The contact of the page. Lightning sets it. */
    @api recordId;
}
