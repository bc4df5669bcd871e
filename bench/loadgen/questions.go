package main

// metadataLoad asks for all topics with Metadata v12; `records` counts the topics answered.
type metadataLoad struct{ frame []byte }

func newMetadataLoad() *metadataLoad {
	f := request(keyMetadata, 12, true)
	f.uvarint(0)
	f.i8(0)
	f.i8(0)
	f.noTags()
	return &metadataLoad{f.seal()}
}

func (m *metadataLoad) next(i int) []byte {
	setCorrelation(m.frame, i)
	return m.frame
}

func (m *metadataLoad) check(body []byte, t *tally) {
	a := &answer{data: body, at: 4}
	a.skipTags()
	a.skip(4)
	for n := a.compactArray(); n > 0; n-- {
		a.skip(4)
		a.skipCompactStr()
		a.skip(4)
		a.skipCompactStr()
		a.skipTags()
	}
	a.skipCompactStr()
	a.skip(4)
	t.records += a.compactArray()
	t.bytes += len(body)
}

// apiVersionsLoad asks for ApiVersions v0, the smallest question there is.
type apiVersionsLoad struct{ frame []byte }

func newApiVersionsLoad() *apiVersionsLoad {
	return &apiVersionsLoad{request(keyApiVersions, 0, false).seal()}
}

func (v *apiVersionsLoad) next(i int) []byte {
	setCorrelation(v.frame, i)
	return v.frame
}

func (v *apiVersionsLoad) check(body []byte, t *tally) {
	if code := (&answer{data: body, at: 4}).i16(); code != 0 {
		t.refused(code)
		return
	}
	t.bytes += len(body)
}
