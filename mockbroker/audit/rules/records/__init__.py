"""Rules about the fate of records: lost, stored twice, or ended by the wrong marker."""
