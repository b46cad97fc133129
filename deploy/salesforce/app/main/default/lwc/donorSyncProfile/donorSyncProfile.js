import { LightningElement, api, wire } from 'lwc';
import { getRecord, notifyRecordUpdateAvailable } from 'lightning/uiRecordApi';

/** The values by group, in the order in which they are shown. */
const GROUPS = [
    {
        title: "Warm path",
        values: [
            { property: "warmPathSentenceField", label: "Warm Path", wide: true },
            { property: "warmPathStrengthField", label: "Warm Path Strength", wide: false },
            { property: "warmPathIntroducerField", label: "Warm Path Introducer", wide: false },
            { property: "warmPathNetworkField", label: "Warm Path Network", wide: false },
            { property: "warmPathViaField", label: "Warm Path Via", wide: false },
        ],
    },
    {
        title: "Profile",
        values: [
            { property: "donorIdField", label: "Donor ID", wide: false },
            { property: "profileUrlField", label: "Donor Profile", wide: false },
            { property: "ageField", label: "Donor Age", wide: false },
            { property: "netWorthLowField", label: "Donor Net Worth (low)", wide: false },
            { property: "netWorthHighField", label: "Donor Net Worth (high)", wide: false },
            { property: "netWorthLabelField", label: "Donor Net Worth", wide: false },
            { property: "capacityNonprofitField", label: "Donor Giving Capacity", wide: false },
            { property: "capacityPoliticalField", label: "Donor Political Capacity", wide: false },
            { property: "workPrimaryField", label: "Donor Employer", wide: false },
            { property: "workAllField", label: "Donor Work", wide: true },
            { property: "educationPrimaryField", label: "Donor School", wide: false },
            { property: "educationAllField", label: "Donor Education", wide: true },
            { property: "bioField", label: "Donor Biography", wide: true },
            { property: "enhancedAtField", label: "Donor Enhanced At", wide: false },
        ],
    },
];

const PERSON_ACCOUNT = 'Account.IsPersonAccount';

/** Names that an administrator can type: letters, digits and underscores. */
const FIELD_NAME = /^[A-Za-z]\w*$/;

/** Only such an address becomes a link. Other texts in a field, such as a script, are shown as text. */
const WEB_ADDRESS = /^https:\/\/\S+$/;

/** The fields that donor-sync writes, read-only. */
export default class DonorSyncProfile extends LightningElement {
    /** The record of the page. Lightning sets it. */
    @api recordId;

    /** Contact or Account. Lightning sets it. */
    @api objectApiName = 'Contact';

    // The names of the fields: an administrator can change them in the Lightning App Builder.
    @api donorIdField = "Donor_ID__c";
    @api profileUrlField = "Donor_Profile__c";
    @api ageField = "Donor_Age__c";
    @api netWorthLowField = "Donor_Net_Worth_Low__c";
    @api netWorthHighField = "Donor_Net_Worth_High__c";
    @api netWorthLabelField = "Donor_Net_Worth__c";
    @api capacityNonprofitField = "Donor_Giving_Capacity__c";
    @api capacityPoliticalField = "Donor_Political_Capacity__c";
    @api workPrimaryField = "Donor_Employer__c";
    @api workAllField = "Donor_Work__c";
    @api educationPrimaryField = "Donor_School__c";
    @api educationAllField = "Donor_Education__c";
    @api bioField = "Donor_Biography__c";
    @api enhancedAtField = "Donor_Enhanced_At__c";
    @api warmPathStrengthField = "Warm_Path_Strength__c";
    @api warmPathIntroducerField = "Warm_Path_Introducer__c";
    @api warmPathNetworkField = "Warm_Path_Network__c";
    @api warmPathViaField = "Warm_Path_Via__c";
    @api warmPathSentenceField = "Warm_Path__c";

    /**
     * Optional fields: Lightning Data Service leaves out a field that does not exist or that the user may not read,
     * and answers with the other fields.
     */
    @wire(getRecord, { recordId: '$recordId', optionalFields: '$fieldNames' })
    record;

    get isAccount() {
        return this.objectApiName === 'Account';
    }

    get fieldNames() {
        const names = GROUPS.flatMap(({ values }) => values)
            .map(({ property }) => this.toFieldName(this[property]))
            .filter((name) => name !== null)
            .map((name) => `${this.objectApiName}.${name}`);
        return this.isAccount ? [PERSON_ACCOUNT, ...names] : names;
    }

    get groups() {
        if (!this.record.data || this.isOtherAccount) return [];
        return GROUPS.map(({ title, values }) => ({
            title,
            values: values.map((value) => this.toShown(value)).filter((shown) => shown !== null),
        })).filter(({ values }) => values.length > 0);
    }

    /** The sentence for a record without values; null if there are values, or while they are read. */
    get notice() {
        if (this.record.error) return 'The record could not be read. Reload the page, or ask your administrator for access.';
        if (!this.record.data) return null;
        if (this.isOtherAccount) return 'This account is not a person account, so it has no donor profile.';
        return this.groups.length === 0
            ? 'There is no donor profile yet, or you do not have access to its fields.'
            : null;
    }

    get isOtherAccount() {
        return this.isAccount && this.record.data?.fields.IsPersonAccount?.value !== true;
    }

    /** Reads the record again, for example after "Enhance now". */
    refresh() {
        return notifyRecordUpdateAvailable([{ recordId: this.recordId }]);
    }

    /** A person account shows the custom fields of its contact under names that end in __pc. */
    toFieldName(name) {
        const typed = String(name ?? '').trim();
        if (!FIELD_NAME.test(typed)) return null;
        return this.isAccount ? typed.replace(/__c$/, '__pc') : typed;
    }

    toShown({ property, label, wide }) {
        const name = this.toFieldName(this[property]);
        const field = name === null ? undefined : this.record.data.fields[name];
        const value = field?.value ?? null;
        if (value === null || value === '') return null;
        const text = field.displayValue ?? String(value);
        return {
            name,
            label,
            text,
            link: WEB_ADDRESS.test(text) ? text : null,
            width: wide ? 'slds-col slds-size_1-of-1' : 'slds-col slds-size_1-of-1 slds-large-size_1-of-2',
        };
    }
}
