// The domain .test is reserved, so no other module can have this path. Users replace it by this folder.
module mockbroker.test/mockbroker

go 1.24
